package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pegboard.test/servers/shared"
)

type nothing struct{}
type message struct {
	Message string `json:"message"`
}
type numbers struct {
	A int `json:"a"`
	B int `json:"b"`
}
type sum struct {
	Sum int `json:"sum"`
}

func text(said string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}
}

func saidBy(given mcp.InputResponse) string {
	switch answer := given.(type) {
	case *mcp.CreateMessageResult:
		return answer.Content.(*mcp.TextContent).Text
	case *mcp.CreateMessageWithToolsResult:
		return answer.Content[0].(*mcp.TextContent).Text
	}
	return fmt.Sprintf("%T", given)
}

func serve() {
	started := shared.ReadStarted()
	var cancelled atomic.Int64
	accept := func(context.Context, *mcp.SubscribeRequest) error { return nil }
	server := mcp.NewServer(&mcp.Implementation{Name: "gosdk", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   accept,
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, asked *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			values := shared.Who(asked.Params.Argument.Value)
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values}}, nil
		},
	})
	// add adds a tool without arguments, whose result is a text.
	add := func(name string, run func(context.Context, *mcp.CallToolRequest) (string, error)) {
		handler := func(ctx context.Context, asked *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
			said, err := run(ctx, asked)
			return text(said), nil, err
		}
		mcp.AddTool(server, &mcp.Tool{Name: name}, handler)
	}
	bye := func() {
		add("bye", func(context.Context, *mcp.CallToolRequest) (string, error) { return "Bye", nil })
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, given message) (*mcp.CallToolResult, any, error) {
		return text("Echo: " + given.Message), nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "image"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		image := &mcp.ImageContent{Data: shared.PixelBytes(), MIMEType: "image/png"}
		return &mcp.CallToolResult{Content: []mcp.Content{image}}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "structured"}, func(_ context.Context, _ *mcp.CallToolRequest, given numbers) (*mcp.CallToolResult, sum, error) {
		return nil, sum{given.A + given.B}, nil
	})
	add("fail", func(context.Context, *mcp.CallToolRequest) (string, error) { return "", errors.New("it failed") })
	add("slow", func(ctx context.Context, asked *mcp.CallToolRequest) (string, error) {
		for step := 1; step <= shared.Steps; step++ {
			time.Sleep(shared.StepTime)
			if token := asked.Params.GetProgressToken(); token != nil {
				progress := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(step), Total: shared.Steps}
				if err := asked.Session.NotifyProgress(ctx, progress); err != nil {
					return "", err
				}
			}
		}
		return "done", nil
	})
	add("wait", func(ctx context.Context, _ *mcp.CallToolRequest) (string, error) {
		<-ctx.Done()
		cancelled.Add(1)
		return "", ctx.Err()
	})
	add("cancelled", func(context.Context, *mcp.CallToolRequest) (string, error) {
		return strconv.FormatInt(cancelled.Load(), 10), nil
	})
	add("log", func(ctx context.Context, asked *mcp.CallToolRequest) (string, error) {
		return "logged", asked.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "hello"})
	})
	// ask adds a tool that needs one answer, in the form of either era: the SDK asks a client of the older one itself.
	ask := func(name string, question mcp.InputRequest, answer func(mcp.InputResponse) string) {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(_ context.Context, asked *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
			if given, ok := asked.Params.InputResponses["asked"]; ok {
				return text(answer(given)), nil, nil
			}
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"asked": question}}, nil, nil
		})
	}
	schema := map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}
	ask("elicit", &mcp.ElicitParams{Mode: "form", Message: "Who?", RequestedSchema: schema}, func(given mcp.InputResponse) string {
		answer := given.(*mcp.ElicitResult)
		return fmt.Sprintf("%s %v", answer.Action, answer.Content["name"])
	})
	question := []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Capital?"}}}
	ask("sample", &mcp.CreateMessageParams{Messages: question, MaxTokens: 10}, func(given mcp.InputResponse) string {
		return saidBy(given)
	})
	ask("roots", &mcp.ListRootsParams{}, func(given mcp.InputResponse) string {
		return given.(*mcp.ListRootsResult).Roots[0].URI
	})
	add("touch", func(ctx context.Context, _ *mcp.CallToolRequest) (string, error) {
		return "touched", server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: started.Note()})
	})
	add("grow", func(context.Context, *mcp.CallToolRequest) (string, error) {
		bye()
		return "grown", nil
	})
	if started.HasBye {
		bye()
	}
	read := func(say func(uri string) string) mcp.ResourceHandler {
		return func(_ context.Context, asked *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := asked.Params.URI
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: say(uri)}}}, nil
		}
	}
	server.AddResource(&mcp.Resource{Name: "one", URI: started.Note()}, read(func(string) string { return "the note" }))
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "item", URITemplate: started.Template()}, read(shared.Item))
	greet := &mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}}}
	server.AddPrompt(greet, func(_ context.Context, asked *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		said := &mcp.TextContent{Text: "Greet " + asked.Params.Arguments["who"]}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: said}}}, nil
	})
	if started.Transport == "stdio" {
		panic(server.Run(context.Background(), &mcp.StdioTransport{}))
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	panic(http.ListenAndServe("127.0.0.1:"+started.Transport, handler))
}
