package mutate

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// A pythonRun is what a run of pytest came to.
type pythonRun struct {
	passed, failed map[pythonCase]bool
	unloaded       []string // files that could not be collected
}

// A pythonCase is one case of a test function: its id says with which parameters.
type pythonCase struct {
	test
	id string
}

func (c pythonCase) itself() test { return c.test }

// readJUnit reads what pytest writes with --junitxml and the family xunit1. A case is told by
// its class name, which begins with the path of the file that pytest ran, with dots; files are
// the paths that it may be. Cases of other files, which are examples in doc comments, are left out.
func readJUnit(text []byte, files []string) (pythonRun, error) {
	var report struct {
		Suites []struct {
			Cases []struct {
				Class   string    `xml:"classname,attr"`
				Name    string    `xml:"name,attr"`
				File    string    `xml:"file,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	r := pythonRun{passed: map[pythonCase]bool{}, failed: map[pythonCase]bool{}}
	if err := xml.Unmarshal(text, &report); err != nil {
		return r, fmt.Errorf("mutate: pytest: %w", err)
	}
	byModule := map[string]string{}
	for _, f := range files {
		byModule[strings.ReplaceAll(strings.TrimSuffix(f, ".py"), "/", ".")] = f
	}
	for _, s := range report.Suites {
		for _, c := range s.Cases {
			if file, ok := byModule[c.Name]; ok && c.Class == "" {
				r.unloaded = append(r.unloaded, file)
				continue
			}
			file, class, ok := moduleOf(c.Class, byModule)
			if !ok {
				continue
			}
			name, _, _ := strings.Cut(c.Name, "[")
			one := pythonCase{test{File: file, Name: name}, class + "::" + c.Name}
			if home := strings.ReplaceAll(c.File, `\`, "/"); home != file {
				one.Home = home
			}
			switch {
			case c.Failure != nil || c.Error != nil:
				r.failed[one] = true
			case c.Skipped == nil:
				r.passed[one] = true
			}
		}
	}
	for c := range r.failed { // of a case with parts, or that fails when it is torn down
		delete(r.passed, c)
	}
	slices.Sort(r.unloaded)
	return r, nil
}

// moduleOf splits a class name into the file and the classes in it.
func moduleOf(name string, byModule map[string]string) (file, class string, ok bool) {
	for module := name; ; {
		if file, ok = byModule[module]; ok {
			return file, strings.TrimPrefix(name[len(module):], "."), true
		}
		dot := strings.LastIndexByte(module, '.')
		if dot < 0 {
			return "", "", false
		}
		module = module[:dot]
	}
}
