package main

import (
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Texts in, texts out: a service of each kind, without generated code.

const service = "millrace.Peer"

var streams = map[string]*grpc.StreamDesc{
	"Parts": {StreamName: "Parts", ServerStreams: true},
	"Sum":   {StreamName: "Sum", ClientStreams: true},
	"Echo":  {StreamName: "Echo", ServerStreams: true, ClientStreams: true},
}

func text(value string) *wrapperspb.StringValue {
	return wrapperspb.String(value)
}

func next(stream interface{ RecvMsg(any) error }) (string, error) {
	var message wrapperspb.StringValue
	err := stream.RecvMsg(&message)
	return message.GetValue(), err
}
