// Quarry-site makes a site of the README and the pages in docs: static files that need no
// server and no network, with a search of their own. A link that leads nowhere is an error.
//
//	quarry-site -version 1.2.3 -out dist/site
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	s := &site{}
	flag.StringVar(&s.root, "root", ".", "the repository")
	flag.StringVar(&s.out, "out", "", "the folder to write to")
	flag.StringVar(&s.Version, "version", "", "the version that the pages are about")
	flag.Parse()
	if s.out == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: quarry-site -out FOLDER [-version 1.2.3] [-root FOLDER]")
		os.Exit(2)
	}
	if err := s.write(); err != nil {
		var all interface{ Unwrap() []error }
		if errors.As(err, &all) {
			for _, err := range all.Unwrap() {
				fmt.Fprintln(os.Stderr, "quarry-site:", err)
			}
		} else {
			fmt.Fprintln(os.Stderr, "quarry-site:", err)
		}
		os.Exit(1)
	}
	fmt.Printf("%d pages, %d links\n", len(s.Pages), s.links)
}
