package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// An Error is an answer of the server that is no success. Use errors.As.
type Error struct {
	Status     int           // of HTTP, from 300
	Code       string        // for programs, such as CodeNotFound; empty where the answer is not Quarry's
	Message    string        // a sentence for people; not empty
	RequestID  string        // under which the server's log has more; empty where the answer is not Quarry's
	RetryAfter time.Duration // when asking again is worth while; 0: not said
}

// Error returns the message with the code, or the status where there is none.
func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("quarry: %s (%d)", e.Message, e.Status)
	}
	return fmt.Sprintf("quarry: %s (%s)", e.Message, e.Code)
}

// problem reads the error out of an answer.
func problem(resp *http.Response, body []byte) *Error {
	e := &Error{Status: resp.StatusCode, RequestID: resp.Header.Get("X-Request-Id")}
	var p struct {
		Error     string `json:"error"`
		Message   string `json:"message"`
		Code      string `json:"code"` // of a tool, whose error is the sentence
		RequestID string `json:"request_id"`
	}
	switch err := json.Unmarshal(body, &p); {
	case err == nil && p.Error != "" && p.Message != "":
		e.Code, e.Message, e.RequestID = p.Error, p.Message, p.RequestID
	case err == nil && p.Error != "" && p.Code != "":
		e.Code, e.Message, e.RequestID = p.Code, p.Error, p.RequestID
	default:
		e.Message = "the server answered " + resp.Status
	}
	e.RetryAfter = retryAfter(resp)
	return e
}

// retryAfter is the header of that name in seconds, as the server sends it; 0
// where it is absent or says a date.
func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
