// An MCP server with one tool, on standard input and output: it knows the weather of every city but Nowhere.
import { createInterface } from 'node:readline'

const tool = {
  name: 'forecast',
  description: 'Tells the weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

type Parameters = { readonly protocolVersion?: string; readonly arguments?: { readonly city?: string } }

function answer(method: string, { protocolVersion, arguments: { city } = {} }: Parameters): object {
  const content = (text: string) => [{ type: 'text', text }]
  if (method === 'initialize')
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1' } }
  if (method === 'tools/list') return { tools: [tool] }
  if (method !== 'tools/call') return {}
  if (city === 'Nowhere') return { content: content('No such city'), isError: true }
  return { content: content(`Rain in ${city}`) }
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) }))
})
