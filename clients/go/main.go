// The vendors' Go clients, with no settings but address and key: OpenAI's and Anthropic's on the gateway's own endpoints, and Google's
// on the pass-through.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"google.golang.org/genai"
)

const question = "What is a gateway?"

var (
	background = context.Background()
	gateway    = os.Getenv("CLIENTS_GATEWAY_URL")
	key        = os.Getenv("CLIENTS_KEY")
	properties = map[string]any{"name": map[string]any{"type": "string"}, "people": map[string]any{"type": "integer"}}
	schema     = map[string]any{
		"type": "object", "properties": properties, "required": []string{"name", "people"}, "additionalProperties": false,
	}
)

func main() {
	suites := []*suite{checkOpenai(), checkAnthropic(), checkGenai()}
	for _, suite := range suites {
		if suite.failed {
			os.Exit(1)
		}
	}
}

func checkOpenai() *suite {
	suite := newSuite("github.com/openai/openai-go/v3")
	client := openai.NewClient(option.WithAPIKey(key), option.WithBaseURL(gateway+"/v1"))
	ask := []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)}
	request := openai.ChatCompletionNewParams{Model: chatModel, Messages: ask}

	suite.check("turn", 1, func() error {
		reply, err := client.Chat.Completions.New(background, request)
		if err != nil {
			return err
		}
		return contains(reply.Choices[0].Message.Content, question)
	})

	suite.check("tools", 2, func() error {
		request := request
		request.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(
			openai.FunctionDefinitionParam{Name: "find_city", Parameters: schema},
		)}
		first, err := client.Chat.Completions.New(background, request)
		if err != nil {
			return err
		}
		message := first.Choices[0].Message
		result := openai.ToolMessage("clear sky", message.ToolCalls[0].ID)
		request.Messages = append(ask, message.ToParam(), result)
		second, err := client.Chat.Completions.New(background, request)
		if err != nil {
			return err
		}
		return contains(second.Choices[0].Message.Content, "clear sky")
	})

	suite.check("stream", 1, func() error {
		stream := client.Chat.Completions.NewStreaming(background, request)
		whole := openai.ChatCompletionAccumulator{}
		for stream.Next() {
			whole.AddChunk(stream.Current())
		}
		if stream.Err() != nil {
			return stream.Err()
		}
		return contains(whole.Choices[0].Message.Content, question)
	})

	suite.check("structured output", 1, func() error {
		request := request
		request.ResponseFormat.OfJSONSchema = &openai.ResponseFormatJSONSchemaParam{
			JSONSchema: openai.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "city", Schema: schema, Strict: openai.Bool(true),
			},
		}
		reply, err := client.Chat.Completions.New(background, request)
		if err != nil {
			return err
		}
		return isCity(reply.Choices[0].Message.Content)
	})

	suite.check("video, with the poll helper", 0, func() error {
		video, err := client.Videos.NewAndPoll(background, openai.VideoNewParams{
			Model: videoModel, Prompt: "Waves [[sandbox: videoMs=1500]]", Seconds: "4", Size: "1280x720",
		}, 100)
		if err != nil {
			return err
		}
		return contains(string(video.Status), "completed")
	})
	return suite
}

func checkAnthropic() *suite {
	suite := newSuite("github.com/anthropics/anthropic-sdk-go")
	client := anthropic.NewClient(anthropicoption.WithAPIKey(key), anthropicoption.WithBaseURL(gateway))
	ask := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))}
	request := anthropic.MessageNewParams{Model: chatModel, MaxTokens: 1000, Messages: ask}

	suite.check("turn", 1, func() error {
		reply, err := client.Messages.New(background, request)
		if err != nil {
			return err
		}
		return contains(reply.Content[0].Text, question)
	})

	suite.check("tools", 2, func() error {
		request := request
		tool := anthropic.ToolParam{
			Name: "find_city", InputSchema: anthropic.ToolInputSchemaParam{Properties: properties},
		}
		request.Tools = []anthropic.ToolUnionParam{{OfTool: &tool}}
		first, err := client.Messages.New(background, request)
		if err != nil {
			return err
		}
		call := first.Content[len(first.Content)-1].AsToolUse()
		result := anthropic.NewUserMessage(anthropic.NewToolResultBlock(call.ID, "clear sky", false))
		request.Messages = append(ask, first.ToParam(), result)
		second, err := client.Messages.New(background, request)
		if err != nil {
			return err
		}
		return contains(second.Content[0].Text, "clear sky")
	})

	suite.check("stream", 1, func() error {
		stream := client.Messages.NewStreaming(background, request)
		whole := anthropic.Message{}
		for stream.Next() {
			if err := whole.Accumulate(stream.Current()); err != nil {
				return err
			}
		}
		if stream.Err() != nil {
			return stream.Err()
		}
		return contains(whole.Content[0].Text, question)
	})

	suite.check("structured output", 1, func() error {
		request := request
		request.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: schema}
		reply, err := client.Messages.New(background, request)
		if err != nil {
			return err
		}
		return isCity(reply.Content[0].Text)
	})
	return suite
}

func checkGenai() *suite {
	suite := newSuite("google.golang.org/genai")
	client, err := genai.NewClient(background, &genai.ClientConfig{
		APIKey: key, HTTPOptions: genai.HTTPOptions{BaseURL: gateway + "/vendor"},
	})
	if err != nil {
		suite.fail("its settings", err)
		return suite
	}

	suite.check("turn", 1, func() error {
		reply, err := client.Models.GenerateContent(background, chatModel, genai.Text(question), nil)
		if err != nil {
			return err
		}
		return contains(reply.Text(), question)
	})

	suite.check("tools", 2, func() error {
		declaration := &genai.FunctionDeclaration{Name: "find_city", ParametersJsonSchema: schema}
		tools := []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{declaration}}}
		chat, err := client.Chats.Create(background, chatModel, &genai.GenerateContentConfig{Tools: tools}, nil)
		if err != nil {
			return err
		}
		first, err := chat.SendMessage(background, genai.Part{Text: question})
		if err != nil {
			return err
		}
		name := first.FunctionCalls()[0].Name
		result := genai.NewPartFromFunctionResponse(name, map[string]any{"sky": "clear sky"})
		second, err := chat.SendMessage(background, *result)
		if err != nil {
			return err
		}
		return contains(second.Text(), "clear sky")
	})

	suite.check("stream", 1, func() error {
		var text strings.Builder
		for piece, err := range client.Models.GenerateContentStream(background, chatModel, genai.Text(question), nil) {
			if err != nil {
				return err
			}
			text.WriteString(piece.Text())
		}
		return contains(text.String(), question)
	})

	suite.check("structured output", 1, func() error {
		config := &genai.GenerateContentConfig{ResponseMIMEType: "application/json", ResponseJsonSchema: schema}
		reply, err := client.Models.GenerateContent(background, chatModel, genai.Text(question), config)
		if err != nil {
			return err
		}
		return isCity(reply.Text())
	})
	return suite
}

func contains(text string, wanted string) error {
	if strings.Contains(text, wanted) {
		return nil
	}
	return fmt.Errorf("%q does not contain %q", text, wanted)
}

func isCity(text string) error {
	var city struct {
		Name   *string
		People *int
	}
	if err := json.Unmarshal([]byte(text), &city); err != nil {
		return err
	}
	if city.Name == nil || city.People == nil {
		return fmt.Errorf("%q does not fit the schema", text)
	}
	return nil
}
