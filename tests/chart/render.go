// Renders a chart with the template engine that Helm has, and with those of Helm's functions that
// our chart uses. Arguments: folder of the chart, values as JSON. No network, no module but Go's own.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

func main() {
	var values map[string]interface{}
	decoder := json.NewDecoder(strings.NewReader(os.Args[2]))
	decoder.UseNumber()
	check(decoder.Decode(&values))
	root := template.New("chart").Option("missingkey=error")
	root.Funcs(template.FuncMap{
		"quote": strconv.Quote,
		"toJson": func(value interface{}) (string, error) {
			written, err := json.Marshal(value)
			return string(written), err
		},
		"nindent": func(width int, text string) string {
			pad := "\n" + strings.Repeat(" ", width)
			return pad + strings.ReplaceAll(text, "\n", pad)
		},
		"include": func(name string, given interface{}) (string, error) {
			var written strings.Builder
			err := root.ExecuteTemplate(&written, name, given)
			return written.String(), err
		},
	})
	paths, err := filepath.Glob(filepath.Join(os.Args[1], "templates", "*"))
	check(err)
	_, err = root.ParseFiles(paths...)
	check(err)
	given := map[string]interface{}{
		"Values":  values,
		"Release": map[string]string{"Name": "spanproof", "Namespace": "default"},
	}
	for _, path := range paths {
		if strings.HasSuffix(path, ".yaml") {
			os.Stdout.WriteString("---\n")
			check(root.ExecuteTemplate(os.Stdout, filepath.Base(path), given))
		}
	}
}
