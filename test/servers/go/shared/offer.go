// Package shared has what the programs of both SDKs need.
package shared

import (
	"encoding/base64"
	"os"
	"strings"
	"time"
)

// What a server is started with; see ../programs/offer.ts.
type Started struct {
	Transport, Name string
	HasBye          bool
}

func ReadStarted() Started {
	args := os.Args[2:]
	_, err := os.Stat(args[2])
	return Started{args[0], args[1], err == nil}
}

func (started Started) Note() string     { return "note://" + started.Name + "/one" }
func (started Started) Template() string { return "note://" + started.Name + "/item/{id}" }

const (
	Pixel    = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	Steps    = 3
	StepTime = 50 * time.Millisecond
)

func PixelBytes() []byte {
	bytes, _ := base64.StdEncoding.DecodeString(Pixel)
	return bytes
}

// Who completes the argument `who` of the prompt.
func Who(begun string) []string {
	found := []string{}
	for _, one := range []string{"Ada", "Alan", "Grace"} {
		if strings.HasPrefix(one, begun) {
			found = append(found, one)
		}
	}
	return found
}

// Item is what the template at this uri stands for.
func Item(uri string) string { return "item " + uri[strings.LastIndex(uri, "/")+1:] }
