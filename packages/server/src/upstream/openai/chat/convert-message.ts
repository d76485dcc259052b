// One message of a conversation, without the members that only this gateway knows: servers refuse what is new to them.
import type { AssistantContent, UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import type { AssistantMessage, ChatMessage } from '@fairgate/contracts/chat/message.ts'

export function convertMessage(message: ChatMessage): object {
  switch (message.role) {
    case 'user': {
      const { content } = message
      return { role: 'user', content: typeof content === 'string' ? content : content.map(convertPart) }
    }
    case 'assistant':
      return convertAnswer(message)
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content: joinTexts(message.content) }
    default:
      return { role: message.role, content: joinTexts(message.content) }
  }
}

function convertPart(part: UserPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image_url': {
      const { url, detail } = part.image_url
      return { type: 'image_url', image_url: { url, ...(detail ? { detail } : {}) } }
    }
    case 'input_audio': {
      const { data, format } = part.input_audio
      return { type: 'input_audio', input_audio: { data, format } }
    }
    case 'file': {
      const { file_data, filename } = part.file
      return { type: 'file', file: { file_data, filename: filename || 'document.pdf' } }
    }
  }
}

/** Ids of calls go back as they are: they can carry state of the model that made them. */
function convertAnswer({ content, refusal, tool_calls: calls }: AssistantMessage): object {
  const text = content === null || content === undefined ? null : joinTexts(content)
  return {
    role: 'assistant',
    content: text,
    ...(refusal ? { refusal } : {}),
    ...(calls && calls.length > 0
      ? {
          tool_calls: calls.map(({ id, function: { name, arguments: text } }) => ({
            id,
            type: 'function',
            function: { name, arguments: text },
          })),
        }
      : {}),
  }
}

/** Many servers take the texts of these roles whole only. */
function joinTexts(content: AssistantContent): string {
  if (typeof content === 'string') return content
  return content.map(part => (part.type === 'text' ? part.text : part.refusal)).join('')
}
