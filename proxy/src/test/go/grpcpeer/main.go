// grpcpeer is a client and a server of gRPC, for tests of what stands between them.
package main

import (
	"fmt"
	"os"
)

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		err = serve(os.Args[2:])
	} else {
		err = ask(os.Args[2:])
	}
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}
