package wire

// A RelayResponse answers the lines by which agents ask services.
type RelayResponse struct {
	Answers    []RelayAnswer `json:"answers"`
	Lines      int           `json:"lines"`             // that are not blank
	Understood int           `json:"understood"`        // of them: with those that are too many to be answered
	Ignored    []string      `json:"ignored,omitempty"` // fields of the request that it does not have
}

// A RelayAnswer answers one line.
type RelayAnswer struct {
	Line    string          `json:"line"`
	Service string          `json:"service"`
	Action  string          `json:"action"`
	OK      bool            `json:"ok"`
	Text    string          `json:"text"`
	Error   *ServiceFailure `json:"error,omitempty"`
}

// A ServiceFailure says why a command of a service has no result.
type ServiceFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Detail  string `json:"detail,omitempty"` // the code of the endpoint's error
}

// An RPCResponse is the payload of a SERVICE_RESPONSE.
type RPCResponse struct {
	RequestID any             `json:"request_id"`
	Success   bool            `json:"success"`
	Result    any             `json:"result,omitempty"` // of the endpoint, its results alone, or its text
	Error     *ServiceFailure `json:"error,omitempty"`
	// Fields of the request that it does not have; of a Result that is a list also parameters that
	// the command does not have.
	Ignored []string `json:"ignored,omitempty"`
}

// An RPCEnvelope is a SERVICE_RESPONSE.
type RPCEnvelope struct {
	V         int         `json:"v"`
	Type      string      `json:"type"`
	ID        string      `json:"id"`
	Timestamp int64       `json:"ts"` // Unix time in milliseconds
	From      string      `json:"from"`
	To        string      `json:"to,omitempty"`
	Payload   RPCResponse `json:"payload"`
}

// A Tool is a question to an endpoint, as models are told of functions that they may call: in the
// form of OpenAI's interface.
type Tool struct {
	Type     string       `json:"type"` // function
	Function ToolFunction `json:"function"`
}

// A ToolFunction says what a tool is for, and what its arguments are.
type ToolFunction struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  any    `json:"parameters"` // a JSON Schema of an object
}

// A ToolResult is what a tool answers. That it has failed is a result, too.
type ToolResult struct {
	OK        bool   `json:"ok"`
	Data      any    `json:"data,omitempty"`  // the fields of its output, or a text
	Error     string `json:"error,omitempty"` // a sentence, where it has failed
	Code      string `json:"code,omitempty"`  // as other endpoints refuse with
	RequestID string `json:"request_id,omitempty"`
}
