package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
)

const (
	chatModel  = "mm-2.5-flash"
	videoModel = "video-3.1-lite-generate-001"
)

var books = os.Getenv("CLIENTS_BOOKS_URL")

// The checks of one client, each call compared with its row in the ledger.
type suite struct {
	name   string
	failed bool
}

func newSuite(module string) *suite {
	build, _ := debug.ReadBuildInfo()
	for _, dependency := range build.Deps {
		if dependency.Path == module {
			return &suite{name: module + " " + dependency.Version}
		}
	}
	return &suite{name: module + " ?"}
}

// Runs one check of so many turns. A check without turns orders a video of four seconds.
func (suite *suite) check(what string, turns int, run func() error) {
	defer func() {
		if failure := recover(); failure != nil {
			suite.fail(what, fmt.Errorf("%v", failure))
		}
	}()
	if _, err := post("/begin", nil); err != nil {
		suite.fail(what, err)
		return
	}
	if err := run(); err != nil {
		suite.fail(what, err)
		return
	}
	calls := []call{}
	for range turns {
		calls = append(calls, call{Model: chatModel})
	}
	if turns == 0 {
		calls = append(calls, call{Model: videoModel, Units: map[string]int{"second_720p": 4}})
	}
	charge, err := post("/end", map[string]any{"calls": calls})
	if err != nil {
		suite.fail(what, err)
		return
	}
	fmt.Printf("ok      %s: %s (%s)\n", suite.name, what, charge)
}

// Units have the names of config/models.yaml; without them any are expected.
type call struct {
	Model string         `json:"model"`
	Units map[string]int `json:"units,omitempty"`
}

func (suite *suite) fail(what string, err error) {
	suite.failed = true
	fmt.Printf("FAILED  %s: %s: %v\n", suite.name, what, err)
}

// The error says what differs between the calls, the ledger and the sandbox.
func post(path string, body any) (string, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	response, err := http.Post(books+path, "application/json", bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", errors.New(string(reply))
	}
	return string(reply), nil
}
