// A server or a client of the official Go SDK: `gosdk server …` or `gosdk client …`.
package main

import "os"

func main() {
	if os.Args[1] == "server" {
		serve()
	} else {
		walk()
	}
}
