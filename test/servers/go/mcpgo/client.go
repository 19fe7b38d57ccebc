package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"pegboard.test/servers/shared"
)

type walker struct {
	client          *client.Client
	logged, updated shared.Notes
	// progress is that of the call under way.
	progress *shared.Notes
}

func walk() { shared.Walk(&walker{}) }

func (*walker) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	message := mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(shared.Capital)}
	return &mcp.CreateMessageResult{SamplingMessage: message, Model: "scripted"}, nil
}

func (*walker) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	answer := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ada"}}
	return &mcp.ElicitationResult{ElicitationResponse: answer}, nil
}

func (*walker) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: shared.Root}}}, nil
}

func (walker *walker) hear(note mcp.JSONRPCNotification) {
	params := note.Params.AdditionalFields
	switch note.Method {
	case "notifications/message":
		data, _ := json.Marshal(params["data"])
		if shared.IsOwn(fmt.Sprint(params["logger"])) {
			walker.logged.Add(fmt.Sprintf("%v %s", params["level"], data))
		}
	case "notifications/resources/updated":
		walker.updated.Add(fmt.Sprint(params["uri"]))
	case "notifications/progress":
		if walker.progress != nil {
			walker.progress.Add(fmt.Sprintf("%v/%v", params["progress"], params["total"]))
		}
	}
}

func (walker *walker) Connect(url string) error {
	wire, err := transport.NewStreamableHTTP(url, transport.WithContinuousListening())
	if err != nil {
		return err
	}
	walker.client = client.NewClient(wire, client.WithSamplingHandler(walker), client.WithElicitationHandler(walker), client.WithRootsHandler(walker))
	walker.client.OnNotification(walker.hear)
	if err := walker.client.Start(context.Background()); err != nil {
		return err
	}
	params := mcp.InitializeParams{ClientInfo: mcp.Implementation{Name: "mcpgo", Version: "1"}}
	_, err = walker.client.Initialize(context.Background(), mcp.InitializeRequest{Params: params})
	return err
}

func (walker *walker) Call(tool string, args map[string]any, updates *shared.Notes) (shared.Result, error) {
	params := mcp.CallToolParams{Name: tool, Arguments: args}
	if updates != nil {
		walker.progress = updates
		params.Meta = &mcp.Meta{ProgressToken: "progress"}
	}
	result, err := walker.client.CallTool(context.Background(), mcp.CallToolRequest{Params: params})
	if err != nil {
		return shared.Result{}, err
	}
	found := shared.Result{Structured: result.StructuredContent, IsError: result.IsError}
	for _, item := range result.Content {
		switch item := item.(type) {
		case mcp.TextContent:
			found.Text = item.Text
		case mcp.ImageContent:
			found.MimeType, found.Data = item.MIMEType, item.Data
		}
	}
	return found, nil
}

func (walker *walker) Cancel(tool string, args map[string]any) {
	ctx, cancel := context.WithTimeout(context.Background(), shared.WaitTime)
	defer cancel()
	walker.client.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: args}})
}

func (walker *walker) SetLevel() error {
	return walker.client.SetLevel(context.Background(), mcp.SetLevelRequest{Params: mcp.SetLevelParams{Level: mcp.LoggingLevelInfo}})
}

func (walker *walker) Logged() *shared.Notes  { return &walker.logged }
func (walker *walker) Updated() *shared.Notes { return &walker.updated }

func (walker *walker) Read(uri string) (string, error) {
	result, err := walker.client.ReadResource(context.Background(), mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}})
	if err != nil {
		return "", err
	}
	return result.Contents[0].(mcp.TextResourceContents).Text, nil
}

func (walker *walker) Subscribe(uri string) error {
	return walker.client.Subscribe(context.Background(), mcp.SubscribeRequest{Params: mcp.SubscribeParams{URI: uri}})
}

func (walker *walker) Prompt(name string, args map[string]string) (string, error) {
	result, err := walker.client.GetPrompt(context.Background(), mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: name, Arguments: args}})
	if err != nil {
		return "", err
	}
	return mcp.GetTextFromContent(result.Messages[0].Content), nil
}

func (walker *walker) Complete(prompt, argument, value string) ([]string, error) {
	result, err := walker.client.Complete(context.Background(), mcp.CompleteRequest{Params: mcp.CompleteParams{
		Ref:      mcp.PromptReference{Type: "ref/prompt", Name: prompt},
		Argument: mcp.CompleteArgument{Name: argument, Value: value},
	}})
	if err != nil {
		return nil, err
	}
	return result.Completion.Values, nil
}

func (walker *walker) Ping() error  { return walker.client.Ping(context.Background()) }
func (walker *walker) Close() error { return walker.client.Close() }
