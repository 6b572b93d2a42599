package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// serve tells its port, and what its calls see, in lines. Its input changes the health of services ("SERVICE down"),
// says goodbye to connections ("goodbye"), and ends it.
func serve(arguments []string) error {
	options := []grpc.ServerOption{grpc.MaxHeaderListSize(1 << 20)}
	if len(arguments) == 2 {
		tls, err := credentials.NewServerTLSFromFile(arguments[0], arguments[1])
		if err != nil {
			return err
		}
		options = append(options, grpc.Creds(tls))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer(options...)
	server.RegisterService(description(), struct{}{})
	checks := health.NewServer()
	healthpb.RegisterHealthServer(server, checks)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	go obey(server, checks)
	return server.Serve(listener)
}

func obey(server *grpc.Server, checks *health.Server) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch words[len(words)-1] {
		case "goodbye":
			go server.GracefulStop()
		case "up":
			checks.SetServingStatus(words[0], healthpb.HealthCheckResponse_SERVING)
		case "down":
			checks.SetServingStatus(words[0], healthpb.HealthCheckResponse_NOT_SERVING)
		}
		fmt.Println("done")
	}
	os.Exit(0)
}

func description() *grpc.ServiceDesc {
	described := &grpc.ServiceDesc{
		ServiceName: service,
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "Say", Handler: say}},
	}
	for name, handler := range map[string]grpc.StreamHandler{"Parts": parts, "Sum": sum, "Echo": echo} {
		stream := *streams[name]
		stream.Handler = handler
		described.Streams = append(described.Streams, stream)
	}
	return described
}

// say answers with what it got, or as its metadata says.
func say(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	var message wrapperspb.StringValue
	if err := decode(&message); err != nil {
		return nil, err
	}
	asked, _ := metadata.FromIncomingContext(ctx)
	fmt.Println("said", message.GetValue())
	if code := asked.Get("fail"); len(code) > 0 {
		number, _ := strconv.Atoi(code[0])
		return nil, status.Error(codes.Code(number), "as asked: 100 % ü")
	}
	switch message.GetValue() {
	case "wait":
		_, hasDeadline := ctx.Deadline()
		<-ctx.Done()
		fmt.Println("gave up", hasDeadline, ctx.Err())
		return nil, ctx.Err()
	case "die":
		os.Exit(1)
	}
	size := 0
	if length := asked.Get("size"); len(length) > 0 {
		size, _ = strconv.Atoi(length[0])
	}
	grpc.SetHeader(ctx, metadata.Pairs("head", strings.Repeat("h", size), "given", strconv.Itoa(len(only(asked, "given")))))
	grpc.SetTrailer(ctx, metadata.Pairs("foot", strings.Repeat("f", size), "foot-bin", "\x00\x01\xff"))
	return text(message.GetValue()), nil
}

func parts(_ any, stream grpc.ServerStream) error {
	asked, err := next(stream)
	if err != nil {
		return err
	}
	count, _ := strconv.Atoi(asked)
	for i := range count {
		if err := stream.SendMsg(text(strconv.Itoa(i) + strings.Repeat(".", 1000))); err != nil {
			return err
		}
	}
	return nil
}

func sum(_ any, stream grpc.ServerStream) error {
	total := 0
	for {
		message, err := next(stream)
		if errors.Is(err, io.EOF) {
			return stream.SendMsg(text(strconv.Itoa(total)))
		}
		if err != nil {
			return err
		}
		total += len(message)
	}
}

// echo sends its head before it has got anything, and stays until its client ends or leaves.
func echo(_ any, stream grpc.ServerStream) error {
	if err := stream.SendHeader(metadata.Pairs("head", "first")); err != nil {
		return err
	}
	for {
		message, err := next(stream)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			fmt.Println("left", status.Code(err))
			return err
		}
		switch message {
		case "die":
			os.Exit(1)
		case "fail":
			return status.Error(codes.Aborted, "in the middle")
		}
		if err := stream.SendMsg(text(message)); err != nil {
			return err
		}
	}
}
