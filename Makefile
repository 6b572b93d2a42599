.PHONY: help build dist deb oci try-deb try-oci try-new artifacts reproducible site test sim fuzz bench lab fmt demo

help:
	@echo "make build   compile and check everything, without running the tests"
	@echo "make dist    a runtime image, to be unpacked and run without Java, in dist/target"
	@echo "make deb     the same as a Debian package with a service of systemd"
	@echo "make oci     the same as an image for containers"
	@echo "make try-deb, make try-oci   install and run what these two made, as root"
	@echo "make try-new     what a new user does on a system without Java, and each command of the documents, as root"
	@echo "make artifacts     into the local Maven repository, with sources, Javadoc and bills of materials"
	@echo "make reproducible  the artifacts twice, in two folders, and compared byte by byte"
	@echo "make site    the documents and the API as a web site, in site/target/html"
	@echo "make test    the whole suite"
	@echo "make sim     the simulation with many more seeds            SEEDS=10000"
	@echo "make fuzz    random bytes for a parser, guided by coverage  TARGET=request SECONDS=600"
	@echo "make bench   the microbenchmarks                            BENCH=Input"
	@echo "make lab     the benchmark lab                              ARGS='--help'"
	@echo "make fmt     format all sources"
	@echo "make demo    two servers behind a proxy, and a live page ARGS='--seconds 5'"

SEEDS ?= 10000
TARGET ?= request
SECONDS ?= 60
BENCH ?= .*
IMAGE = ls -dt dist/target/millrace-*-linux-*/ | head -n 1

build:
	./millrace mvn -q verify -DskipTests

dist:
	./millrace dist

deb: dist
	dist/deb/build "$$($(IMAGE))" dist/target

oci: dist
	dist/oci/build "$$($(IMAGE))" dist/target

try-deb:
	dist/deb/try "$$($(IMAGE))"

try-oci:
	dist/oci/try dist/target/*.oci.tar

try-new:
	dist/try dist/target

artifacts:
	./millrace mvn -q -Ppublish -Dmaven.test.skip=true install -pl bom,http-jackson,test-kit,acme,proxy -am

reproducible:
	dist/reproducible

site:
	site/build

test:
	./millrace test

sim:
	./millrace test -pl core,http,test-kit,proxy -Dgroups=simulation -Dmillrace.seeds=$(SEEDS)

fuzz:
	./millrace mvn -q -Dfast -Pfuzz -pl core,http process-test-classes -Dfuzz=$(TARGET) -Dfuzz.seconds=$(SECONDS)

bench:
	./millrace mvn -q -Dfast -Pbench -pl core test-compile exec:exec -Dbench='$(BENCH)'

lab:
	./millrace lab $(ARGS)

fmt:
	./millrace mvn -q spotless:apply -pl '!bom'

demo:
	./millrace demo $(ARGS)
