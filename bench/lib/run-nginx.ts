// Starts nginx for a measurement: as an upstream that always gives the same reply, or with any other server block.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePorts, waitFor } from './run-fairgate.ts'

export type BenchNginx = { readonly url: string; readonly pid: number; readonly stop: () => void }

const answer = 'All human beings are born free and equal. '.repeat(16)
/** Usage that each upstream reply reports. */
export const replyTokens = { input: 250, output: 170 }

/** A vendor reply of about 1 kB, always the same, so that the upstream costs as little as possible. */
export const vendorReply = JSON.stringify({
  candidates: [
    {
      content: { parts: [{ text: answer }], role: 'model' },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: {
    promptTokenCount: replyTokens.input,
    candidatesTokenCount: replyTokens.output,
    totalTokenCount: replyTokens.input + replyTokens.output,
  },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'bench-response-0000001',
})

export const openaiPath = '/v1/chat/completions'

/** The same answer in OpenAI's dialect. */
export const openaiReply = JSON.stringify({
  id: 'chatcmpl-bench0001',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-4o-mini',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: answer, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: replyTokens.input,
    completion_tokens: replyTokens.output,
    total_tokens: replyTokens.input + replyTokens.output,
  },
})

/** `writeServer` gets the port that it must listen on. `folder` holds the configuration and nginx's files. */
async function runNginx(
  folder: string,
  name: string,
  writeServer: (port: number) => string,
): Promise<BenchNginx> {
  const [port = 0] = findFreePorts(1)
  const path = join(folder, `${name}.conf`)
  writeFileSync(
    path,
    `worker_processes 1; daemon off; pid ${folder}/${name}.pid; error_log ${folder}/${name}.log;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000; client_body_temp_path ${folder}/${name}-body;
  proxy_temp_path ${folder}/${name}-proxy; fastcgi_temp_path ${folder}/${name}-f; uwsgi_temp_path ${folder}/${name}-u; scgi_temp_path ${folder}/${name}-s;
  client_max_body_size 4m; client_body_buffer_size 2m;
  ${writeServer(port)}
}
`,
  )
  const child = Bun.spawn(['nginx', '-c', path, '-p', folder], { stdout: 'ignore', stderr: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  await waitFor(url)
  return { url, pid: child.pid, stop: () => child.kill() }
}

/** The upstream of all chat measurements: OpenAI's dialect at `/v1/chat/completions`, the vendor's at any other path. */
export function runScriptedUpstream(folder: string): Promise<BenchNginx> {
  return runNginx(
    folder,
    'upstream',
    port =>
      `server {
    listen 127.0.0.1:${port} backlog=4096; default_type application/json;
    location / { return 200 '${vendorReply}'; }
    location = ${openaiPath} { return 200 '${openaiReply}'; }
  }`,
  )
}

/** `proxy_pass` to the upstream and nothing else. */
export function runPlainProxy(folder: string, upstream: Pick<BenchNginx, 'url'>): Promise<BenchNginx> {
  const target = upstream.url.replace('http://', '')
  return runNginx(
    folder,
    'proxy',
    port => `upstream vendor { server ${target}; keepalive 512; keepalive_requests 1000000; }
  server { listen 127.0.0.1:${port} backlog=4096; location / { proxy_pass http://vendor; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  )
}
