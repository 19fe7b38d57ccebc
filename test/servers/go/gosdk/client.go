package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pegboard.test/servers/shared"
)

type walker struct {
	client          *mcp.Client
	session         *mcp.ClientSession
	logged, updated shared.Notes
	// progress is that of the call under way.
	progress *shared.Notes
}

func walk() {
	walker := &walker{}
	walker.client = mcp.NewClient(&mcp.Implementation{Name: "gosdk", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "scripted", Content: &mcp.TextContent{Text: shared.Capital}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		ResourceUpdatedHandler: func(_ context.Context, note *mcp.ResourceUpdatedNotificationRequest) {
			walker.updated.Add(note.Params.URI)
		},
		LoggingMessageHandler: func(_ context.Context, note *mcp.LoggingMessageRequest) {
			data, _ := json.Marshal(note.Params.Data)
			if shared.IsOwn(note.Params.Logger) {
				walker.logged.Add(fmt.Sprintf("%s %s", note.Params.Level, data))
			}
		},
		ProgressNotificationHandler: func(_ context.Context, note *mcp.ProgressNotificationClientRequest) {
			if walker.progress != nil {
				walker.progress.Add(fmt.Sprintf("%g/%g", note.Params.Progress, note.Params.Total))
			}
		},
	})
	walker.client.AddRoots(&mcp.Root{URI: shared.Root})
	shared.Walk(walker)
}

func (walker *walker) Connect(url string) (err error) {
	transport := &mcp.StreamableClientTransport{Endpoint: url}
	walker.session, err = walker.client.Connect(context.Background(), transport, nil)
	return err
}

func (walker *walker) Call(tool string, args map[string]any, updates *shared.Notes) (shared.Result, error) {
	params := &mcp.CallToolParams{Name: tool, Arguments: args, Meta: mcp.Meta{}}
	if walker.isModern() {
		params.Meta[mcp.MetaKeyLogLevel] = "info"
	}
	if updates != nil {
		walker.progress = updates
		params.SetProgressToken("progress")
	}
	result, err := walker.session.CallTool(context.Background(), params)
	if err != nil {
		return shared.Result{}, err
	}
	found := shared.Result{Structured: result.StructuredContent, IsError: result.IsError}
	for _, item := range result.Content {
		switch item := item.(type) {
		case *mcp.TextContent:
			found.Text = item.Text
		case *mcp.ImageContent:
			found.MimeType, found.Data = item.MIMEType, base64.StdEncoding.EncodeToString(item.Data)
		}
	}
	return found, nil
}

func (walker *walker) Cancel(tool string, args map[string]any) {
	ctx, cancel := context.WithTimeout(context.Background(), shared.WaitTime)
	defer cancel()
	walker.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
}

// In 2026-07-28 each request says for itself which messages it wants, and there is no ping.
func (walker *walker) isModern() bool {
	return walker.session.InitializeResult().ProtocolVersion == "2026-07-28"
}

func (walker *walker) SetLevel() error {
	if walker.isModern() {
		return nil
	}
	return walker.session.SetLoggingLevel(context.Background(), &mcp.SetLoggingLevelParams{Level: "info"})
}

func (walker *walker) Logged() *shared.Notes  { return &walker.logged }
func (walker *walker) Updated() *shared.Notes { return &walker.updated }

func (walker *walker) Read(uri string) (string, error) {
	result, err := walker.session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	return result.Contents[0].Text, nil
}

func (walker *walker) Subscribe(uri string) error {
	err := walker.session.Subscribe(context.Background(), &mcp.SubscribeParams{URI: uri})
	if err == nil && walker.isModern() {
		// It does not wait until the server has acknowledged.
		time.Sleep(500 * time.Millisecond)
	}
	return err
}

func (walker *walker) Prompt(name string, args map[string]string) (string, error) {
	result, err := walker.session.GetPrompt(context.Background(), &mcp.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		return "", err
	}
	if text, ok := result.Messages[0].Content.(*mcp.TextContent); ok {
		return text.Text, nil
	}
	return "", errors.New("not a text")
}

func (walker *walker) Complete(prompt, argument, value string) ([]string, error) {
	result, err := walker.session.Complete(context.Background(), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: prompt},
		Argument: mcp.CompleteParamsArgument{Name: argument, Value: value},
	})
	if err != nil {
		return nil, err
	}
	return result.Completion.Values, nil
}

func (walker *walker) Ping() error {
	if walker.isModern() {
		_, err := walker.session.ListPrompts(context.Background(), nil)
		return err
	}
	return walker.session.Ping(context.Background(), nil)
}

func (walker *walker) Close() error { return walker.session.Close() }
