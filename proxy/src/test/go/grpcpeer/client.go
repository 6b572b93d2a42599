package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// ask makes calls: a port, the authorities it trusts or "-", a scenario, and its arguments. It tells their outcome in lines.
func ask(arguments []string) error {
	secured := insecure.NewCredentials()
	if arguments[1] != "-" {
		trusted, err := credentials.NewClientTLSFromFile(arguments[1], "localhost")
		if err != nil {
			return err
		}
		secured = trusted
	}
	to, err := grpc.NewClient("127.0.0.1:"+arguments[0], grpc.WithTransportCredentials(secured),
		grpc.WithMaxHeaderListSize(1<<20), grpc.WithDisableRetry(), grpc.WithAuthority("localhost"))
	if err != nil {
		return err
	}
	defer to.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	scenario, more := arguments[2], arguments[3:]
	switch scenario {
	case "say":
		call(ctx, to, more[0], more[1:])
		return nil
	case "kinds":
		return kinds(ctx, to)
	case "cancel":
		return cancelled(ctx, to)
	case "deadline":
		soon, end := context.WithTimeout(ctx, time.Second)
		defer end()
		call(soon, to, "wait", nil)
		return nil
	case "middle":
		return middle(ctx, to, more[0])
	case "across":
		return across(ctx, to)
	}
	return errors.New("no scenario " + scenario)
}

// say1 makes one call with metadata ("name=value"), and tells its status, and what came with it.
func call(ctx context.Context, to *grpc.ClientConn, what string, fields []string) {
	for _, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		if length, isLength := strings.CutPrefix(value, "*"); isLength {
			count, _ := strconv.Atoi(length)
			value = strings.Repeat("v", count)
		}
		ctx = metadata.AppendToOutgoingContext(ctx, name, value)
	}
	var head, foot metadata.MD
	var answer wrapperspb.StringValue
	err := to.Invoke(ctx, "/"+service+"/Say", text(what), &answer, grpc.Header(&head), grpc.Trailer(&foot))
	fmt.Println(status.Code(err), answer.GetValue(), len(only(head, "head")), only(head, "given"), len(only(foot, "foot")), []byte(only(foot, "foot-bin")))
	fmt.Println(status.Convert(err).Message())
}

func only(fields metadata.MD, name string) string {
	return strings.Join(fields.Get(name), "|")
}

func open(ctx context.Context, to *grpc.ClientConn, name string) (grpc.ClientStream, error) {
	return to.NewStream(ctx, streams[name], "/"+service+"/"+name)
}

func kinds(ctx context.Context, to *grpc.ClientConn) error {
	call(ctx, to, "hello", nil)
	for _, kind := range []func(context.Context, *grpc.ClientConn) error{fromServer, fromClient, both} {
		if err := kind(ctx, to); err != nil {
			return err
		}
	}
	return nil
}

func fromServer(ctx context.Context, to *grpc.ClientConn) error {
	stream, err := open(ctx, to, "Parts")
	if err == nil {
		err = stream.SendMsg(text("500"))
	}
	if err == nil {
		err = stream.CloseSend()
	}
	for i := 0; err == nil; i++ {
		var message string
		message, err = next(stream)
		if errors.Is(err, io.EOF) {
			fmt.Println("parts", i)
			return nil
		}
		if err == nil && !strings.HasPrefix(message, strconv.Itoa(i)+".") {
			return errors.New("out of order: " + message)
		}
	}
	return err
}

func fromClient(ctx context.Context, to *grpc.ClientConn) error {
	stream, err := open(ctx, to, "Sum")
	for i := 0; err == nil && i < 500; i++ {
		err = stream.SendMsg(text(strings.Repeat("x", 1000)))
	}
	if err == nil {
		err = stream.CloseSend()
	}
	if err != nil {
		return err
	}
	total, err := next(stream)
	fmt.Println("sum", total)
	return err
}

// both waits for each answer before it says more, and for the head before it says anything.
func both(ctx context.Context, to *grpc.ClientConn) error {
	stream, err := begun(ctx, to)
	if err != nil {
		return err
	}
	for i := range 20 {
		if err := exchange(stream, strconv.Itoa(i)); err != nil {
			return err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	if _, err := next(stream); !errors.Is(err, io.EOF) {
		return err
	}
	fmt.Println("both")
	return nil
}

func begun(ctx context.Context, to *grpc.ClientConn) (grpc.ClientStream, error) {
	stream, err := open(ctx, to, "Echo")
	if err != nil {
		return nil, err
	}
	head, err := stream.Header()
	if err == nil && only(head, "head") != "first" {
		err = errors.New("no head")
	}
	return stream, err
}

func exchange(stream grpc.ClientStream, what string) error {
	if err := stream.SendMsg(text(what)); err != nil {
		return err
	}
	answer, err := next(stream)
	if err == nil && answer != what {
		err = errors.New("another answer: " + answer)
	}
	return err
}

func cancelled(ctx context.Context, to *grpc.ClientConn) error {
	ours, cancel := context.WithCancel(ctx)
	stream, err := begun(ours, to)
	if err == nil {
		err = exchange(stream, "one")
	}
	cancel()
	if err != nil {
		return err
	}
	_, err = next(stream)
	fmt.Println(status.Code(err))
	// The connection stays, with the other calls.
	call(ctx, to, "after", nil)
	return nil
}

// middle says something else in the middle of a call.
func middle(ctx context.Context, to *grpc.ClientConn, what string) error {
	stream, err := begun(ctx, to)
	if err == nil {
		err = exchange(stream, "one")
	}
	if err == nil {
		err = stream.SendMsg(text(what))
	}
	if err != nil {
		return err
	}
	_, err = next(stream)
	fmt.Println(status.Code(err), status.Convert(err).Message())
	return nil
}

// across makes a call that begins before its input says something, and ends after that.
func across(ctx context.Context, to *grpc.ClientConn) error {
	stream, err := begun(ctx, to)
	if err == nil {
		err = exchange(stream, "before")
	}
	if err != nil {
		return err
	}
	fmt.Println("begun")
	var line string
	fmt.Scanln(&line)
	if err := exchange(stream, "after"); err != nil {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	_, err = next(stream)
	if !errors.Is(err, io.EOF) {
		return err
	}
	fmt.Println(codes.OK)
	return nil
}
