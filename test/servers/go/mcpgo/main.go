// A server or a client of mcp-go: `mcpgo server …` or `mcpgo client …`.
package main

import "os"

func main() {
	if os.Args[1] == "server" {
		serve()
	} else {
		walk()
	}
}
