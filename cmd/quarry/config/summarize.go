package config

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/llm"
)

// summarizeSettings say who summarises texts. Code is always summarised here.
type summarizeSettings struct {
	Engine  string   `toml:"engine"`      // of requests that name none
	BaseURL string   `toml:"base_url"`    // "": there is no language model
	Model   string   `toml:"model"`       //
	KeyEnv  string   `toml:"api_key_env"` // the variable that has the key
	Timeout Duration `toml:"timeout"`
}

func defaultSummarize() summarizeSettings {
	return summarizeSettings{Engine: "local", KeyEnv: "OPENAI_API_KEY", Timeout: Duration(20 * time.Second)}
}

func (s *summarizeSettings) bind(fs *pflag.FlagSet) {
	fs.StringVar(&s.Engine, "summarize-engine", s.Engine, "which engine summarises texts when a request names none: local, or llm")
	fs.StringVar(&s.BaseURL, "llm-url", s.BaseURL, "an OpenAI-compatible endpoint that may summarise texts, such as http://localhost:11434/v1")
	fs.StringVar(&s.Model, "llm-model", s.Model, "the language model's name there")
	fs.StringVar(&s.KeyEnv, "llm-key-env", s.KeyEnv, "the environment variable with the endpoint's key; if it is empty none is sent")
	fs.Var(&s.Timeout, "llm-timeout", "how long the language model may take for a summary")
}

func (s *summarizeSettings) check() error {
	if err := OneOf("summarize-engine", s.Engine, "local", "llm"); err != nil {
		return err
	}
	switch {
	case s.BaseURL == "" && s.Model != "":
		return errors.New("llm-model needs llm-url")
	case s.BaseURL == "" && s.Engine == "llm":
		return errors.New("the summarize-engine llm needs llm-url and llm-model")
	case s.BaseURL != "" && s.Model == "":
		return errors.New("llm-url needs llm-model")
	case s.Timeout == 0:
		return errors.New("llm-timeout must be more than 0s")
	}
	return nil
}

// LLM returns the client of the configured language model, nil where there is none.
func (s *Settings) LLM() (*llm.Client, error) {
	if s.Summarize.BaseURL == "" {
		return nil, nil
	}
	return llm.New(llm.Options{
		BaseURL: s.Summarize.BaseURL, Model: s.Summarize.Model, Key: s.LLMKey(), Timeout: time.Duration(s.Summarize.Timeout),
	})
}
