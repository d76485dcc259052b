package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"runtime/debug"
	"time"
)

const (
	chatModel  = "mm-2.5-flash"
	videoModel = "video-3.1-lite-generate-001"
)

var sandbox = os.Getenv("CLIENTS_SANDBOX_URL")

// The checks of one client, each compared with its exact charge.
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

// Runs one check of so many turns: what the sandbox has billed for them, at the catalog's prices, must have been charged. A check
// without turns orders a video of four seconds.
func (suite *suite) check(what string, turns int, run func() error) {
	defer func() {
		if failure := recover(); failure != nil {
			suite.fail(what, fmt.Errorf("%v", failure))
		}
	}()
	if response, err := http.Post(sandbox+"/sandbox/reset", "", nil); err != nil {
		suite.fail(what, err)
		return
	} else {
		response.Body.Close()
	}
	before := spend()
	if err := run(); err != nil {
		suite.fail(what, err)
		return
	}
	expected := costOfVideo()
	if turns > 0 {
		expected = costOfTurns(turns)
	}
	charged := settled(before, expected)
	if charged != expected {
		suite.fail(what, fmt.Errorf("charged %d nano-dollars, expected %d", charged, expected))
		return
	}
	fmt.Printf("ok      %s: %s (%g USD)\n", suite.name, what, float64(charged)/1e9)
}

func (suite *suite) fail(what string, err error) {
	suite.failed = true
	fmt.Printf("FAILED  %s: %s: %v\n", suite.name, what, err)
}

// Nano-dollars.
func costOfTurns(count int) int64 {
	var counters struct {
		Billed map[string]struct{ Calls, PromptTokens, CachedTokens, CandidatesTokens, ThoughtsTokens int }
	}
	readJSON(sandbox+"/sandbox/counters", &counters)
	sold := counters.Billed["gemini-2.5-flash"]
	if sold.Calls != count {
		panic(fmt.Sprintf("%d calls, expected %d", sold.Calls, count))
	}
	dollars := float64(sold.PromptTokens-sold.CachedTokens)*price(chatModel, "input") +
		float64(sold.CachedTokens)*price(chatModel, "cached_input") +
		float64(sold.CandidatesTokens)*price(chatModel, "output") + float64(sold.ThoughtsTokens)*price(chatModel, "reasoning")
	return int64(math.Round(dollars * 1000))
}

func costOfVideo() int64 {
	return int64(math.Round(4 * price(videoModel, "second_720p") * 1e9))
}

// US dollars per million tokens, or per item.
func price(model string, unit string) float64 {
	prices := map[string]map[string]any{}
	if err := json.Unmarshal([]byte(os.Getenv("CLIENTS_PRICES")), &prices); err != nil {
		panic(err)
	}
	return prices[model][unit].(float64)
}

// The spend may follow a moment after the client's last byte.
func settled(before int64, expected int64) int64 {
	for look := 0; ; look++ {
		charged := spend() - before
		if charged >= expected || look == 40 {
			return charged
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func spend() int64 {
	var reply struct{ Info struct{ Spend float64 } }
	readJSON(gateway+"/key/info", &reply)
	return int64(math.Round(reply.Info.Spend * 1e9))
}

func readJSON(url string, into any) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		panic(err)
	}
}
