package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"pegboard.test/servers/shared"
)

type completer struct{}

func (completer) CompletePromptArgument(_ context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: shared.Who(argument.Value)}, nil
}

type sum struct {
	Sum int `json:"sum"`
}

func serve() {
	started := shared.ReadStarted()
	var cancelled atomic.Int64
	srv := server.NewMCPServer("mcpgo", "1",
		server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true),
		server.WithLogging(), server.WithElicitation(), server.WithRoots(), server.WithCompletions(),
		server.WithPromptCompletionProvider(completer{}), server.WithInputSchemaValidation(),
	)
	srv.EnableSampling()
	// add adds a tool without arguments, whose result is a text.
	add := func(name string, run func(context.Context, mcp.CallToolRequest) (string, error)) {
		srv.AddTool(mcp.NewTool(name), func(ctx context.Context, asked mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			said, err := run(ctx, asked)
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return mcp.NewToolResultText(said), nil
		})
	}
	bye := func() {
		add("bye", func(context.Context, mcp.CallToolRequest) (string, error) { return "Bye", nil })
	}
	echo := mcp.NewTool("echo", mcp.WithString("message", mcp.Required()))
	srv.AddTool(echo, func(_ context.Context, asked mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		said, err := asked.RequireString("message")
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText("Echo: " + said), nil
	})
	srv.AddTool(mcp.NewTool("image"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewImageContent(shared.Pixel, "image/png")}}, nil
	})
	structured := mcp.NewTool("structured", mcp.WithNumber("a"), mcp.WithNumber("b"), mcp.WithOutputSchema[sum]())
	srv.AddTool(structured, func(_ context.Context, asked mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultStructuredOnly(sum{asked.GetInt("a", 0) + asked.GetInt("b", 0)}), nil
	})
	add("fail", func(context.Context, mcp.CallToolRequest) (string, error) { return "", errors.New("it failed") })
	add("slow", func(ctx context.Context, asked mcp.CallToolRequest) (string, error) {
		for step := 1; step <= shared.Steps; step++ {
			time.Sleep(shared.StepTime)
			if meta := asked.Params.Meta; meta != nil && meta.ProgressToken != nil {
				progress := map[string]any{"progressToken": meta.ProgressToken, "progress": step, "total": shared.Steps}
				if err := srv.SendNotificationToClient(ctx, "notifications/progress", progress); err != nil {
					return "", err
				}
			}
		}
		return "done", nil
	})
	add("wait", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		<-ctx.Done()
		cancelled.Add(1)
		return "", ctx.Err()
	})
	add("cancelled", func(context.Context, mcp.CallToolRequest) (string, error) {
		return strconv.FormatInt(cancelled.Load(), 10), nil
	})
	add("log", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		return "logged", srv.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "here", "hello"))
	})
	add("elicit", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		schema := map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}
		question := mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: "Who?", RequestedSchema: schema}}
		answer, err := srv.RequestElicitation(ctx, question)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %v", answer.Action, answer.Content.(map[string]any)["name"]), nil
	})
	add("sample", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		question := []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("Capital?")}}
		params := mcp.CreateMessageParams{Messages: question, MaxTokens: 10}
		answer, err := srv.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: params})
		if err != nil {
			return "", err
		}
		return mcp.GetTextFromContent(answer.Content), nil
	})
	add("roots", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		answer, err := srv.RequestRoots(ctx, mcp.ListRootsRequest{})
		if err != nil {
			return "", err
		}
		return answer.Roots[0].URI, nil
	})
	add("touch", func(context.Context, mcp.CallToolRequest) (string, error) {
		srv.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": started.Note()})
		return "touched", nil
	})
	add("grow", func(context.Context, mcp.CallToolRequest) (string, error) {
		bye()
		return "grown", nil
	})
	if started.HasBye {
		bye()
	}
	read := func(say func(uri string) string) func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return func(_ context.Context, asked mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			uri := asked.Params.URI
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, Text: say(uri)}}, nil
		}
	}
	srv.AddResource(mcp.NewResource(started.Note(), "one"), read(func(string) string { return "the note" }))
	srv.AddResourceTemplate(mcp.NewResourceTemplate(started.Template(), "item"), read(shared.Item))
	greet := mcp.NewPrompt("greet", mcp.WithArgument("who", mcp.RequiredArgument()))
	srv.AddPrompt(greet, func(_ context.Context, asked mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		said := mcp.NewTextContent("Greet " + asked.Params.Arguments["who"])
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, said)}), nil
	})
	if started.Transport == "stdio" {
		panic(server.ServeStdio(srv))
	}
	panic(server.NewStreamableHTTPServer(srv, server.WithStateful(true)).Start("127.0.0.1:" + started.Transport))
}
