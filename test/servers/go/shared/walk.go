package shared

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	Capital  = "Paris"
	Root     = "file:///home/ada"
	stepTime = 5 * time.Second
	noteTime = 3 * time.Second
	pollTime = 20 * time.Millisecond
	// WaitTime is how long a call runs before it is cancelled.
	WaitTime = 200 * time.Millisecond
)

// A Result is what a call has answered.
type Result struct {
	Text, MimeType, Data string
	Structured           any
	IsError              bool
}

// Notes are collected while others wait for them.
type Notes struct {
	lock  sync.Mutex
	notes []string
}

func (notes *Notes) Add(note string) {
	notes.lock.Lock()
	defer notes.lock.Unlock()
	notes.notes = append(notes.notes, note)
}

func (notes *Notes) All() []string {
	notes.lock.Lock()
	defer notes.lock.Unlock()
	return append([]string{}, notes.notes...)
}

func (notes *Notes) first() string {
	for waited := time.Duration(0); waited < noteTime; waited += pollTime {
		if all := notes.All(); len(all) > 0 {
			return all[0]
		}
		time.Sleep(pollTime)
	}
	return "nothing came"
}

// IsOwn tells whether the server has logged the line: through Pegboard, lines of others arrive as well, and name their server.
func IsOwn(logger string) bool { return len(os.Args) < 5 || strings.HasPrefix(logger, os.Args[3]) }

// A Walker is a client of either SDK. Its calls go to the tool of the server, or through Pegboard.
type Walker interface {
	Connect(url string) error
	// Call reports progress as `1/3` where updates is not nil.
	Call(tool string, args map[string]any, updates *Notes) (Result, error)
	Cancel(tool string, args map[string]any)
	SetLevel() error
	Logged() *Notes
	Updated() *Notes
	Read(uri string) (string, error)
	Subscribe(uri string) error
	Prompt(name string, args map[string]string) (string, error)
	Complete(prompt, argument, value string) ([]string, error)
	Ping() error
	Close() error
}

// Walk takes every step once and prints what was seen; see ../programs/ts1Client.ts for the arguments.
func Walk(walker Walker) {
	url, name, prefix := os.Args[2], os.Args[3], ""
	if len(os.Args) > 4 {
		prefix = os.Args[4]
	}
	seen := map[string]string{}
	step := func(title string, take func() (string, error)) {
		done := make(chan string, 1)
		go func() {
			said, err := take()
			if err != nil {
				said = "failed: " + err.Error()
			}
			done <- said
		}()
		select {
		case seen[title] = <-done:
		case <-time.After(stepTime):
			seen[title] = "failed: nothing came"
		}
	}
	asked := func(tool string, args map[string]any) (string, map[string]any) {
		if prefix == "" {
			return tool, args
		}
		return "call_tool", map[string]any{"name": prefix + tool, "arguments": args}
	}
	call := func(tool string, args map[string]any, updates *Notes) (Result, error) {
		through, with := asked(tool, args)
		return walker.Call(through, with, updates)
	}
	told := func(tool string, args map[string]any) (string, error) {
		result, err := call(tool, args, nil)
		if result.IsError {
			return "error: " + result.Text, err
		}
		return result.Text, err
	}
	none := map[string]any{}
	note := "note://" + name + "/one"
	show := func() { json.NewEncoder(os.Stdout).Encode(seen) }
	step("initialize", func() (string, error) { return "connected", walker.Connect(url) })
	if seen["initialize"] != "connected" {
		show()
		return
	}
	step("text", func() (string, error) { return told("echo", map[string]any{"message": "there"}) })
	step("image", func() (string, error) {
		result, err := call("image", none, nil)
		return fmt.Sprintf("%s %d", result.MimeType, len(result.Data)), err
	})
	step("structured", func() (string, error) {
		result, err := call("structured", map[string]any{"a": 2, "b": 3}, nil)
		bytes, _ := json.Marshal(result.Structured)
		return string(bytes), err
	})
	step("isError", func() (string, error) { return told("fail", none) })
	step("bad arguments", func() (string, error) {
		result, err := call("echo", map[string]any{"message": map[string]any{"no": "text"}}, nil)
		if err != nil || result.IsError {
			return "refused", nil
		}
		return "accepted", nil
	})
	step("progress", func() (string, error) {
		updates := &Notes{}
		_, err := call("slow", none, updates)
		return strings.Join(updates.All(), " "), err
	})
	step("logging", func() (string, error) {
		// Servers that do not let the level be set log anyway.
		_ = walker.SetLevel()
		_, err := call("log", none, nil)
		return walker.Logged().first(), err
	})
	step("elicitation", func() (string, error) { return told("elicit", none) })
	step("sampling", func() (string, error) { return told("sample", none) })
	step("roots", func() (string, error) { return told("roots", none) })
	step("cancel", func() (string, error) {
		before, err := told("cancelled", none)
		if err != nil {
			return "", err
		}
		through, with := asked("wait", none)
		walker.Cancel(through, with)
		for waited := time.Duration(0); waited < noteTime; waited += pollTime {
			if after, _ := told("cancelled", none); after != before {
				return "1 reached it", nil
			}
			time.Sleep(pollTime)
		}
		return "nothing reached it", nil
	})
	step("read", func() (string, error) { return walker.Read(note) })
	step("template", func() (string, error) { return walker.Read("note://" + name + "/item/7") })
	step("subscribe", func() (string, error) {
		if err := walker.Subscribe(note); err != nil {
			return "", err
		}
		_, err := call("touch", none, nil)
		return walker.Updated().first(), err
	})
	step("prompt", func() (string, error) { return walker.Prompt(prefix+"greet", map[string]string{"who": "Ada"}) })
	step("completion", func() (string, error) {
		values, err := walker.Complete(prefix+"greet", "who", "A")
		return strings.Join(values, " "), err
	})
	step("ping", func() (string, error) { return "answered", walker.Ping() })
	step("end", func() (string, error) { return "ended", walker.Close() })
	show()
}
