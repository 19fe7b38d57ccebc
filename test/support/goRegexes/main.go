// Says what Go's regexp makes of each pattern of a list: null, or its error.
//
//	go run main.go < ../../plugins/workflow/gotpl/regexErrors.json > made.json
package main

import (
	"encoding/json"
	"os"
	"regexp"
)

func main() {
	var cases [][]any
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	for i, one := range cases {
		pattern := one[0].(string)
		var said any
		if _, err := regexp.Compile(pattern); err != nil {
			said = err.Error()
		}
		cases[i] = []any{pattern, said}
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(cases); err != nil {
		panic(err)
	}
}
