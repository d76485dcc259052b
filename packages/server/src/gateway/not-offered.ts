// Paths of other APIs at which nothing is offered: what to use instead, for the error reply and the reference page.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { PageSection } from '../http/docs-page.ts'
import { html, renderTable } from '../http/html.ts'
import type { Route } from '../http/route.ts'
import type { RouteFamily } from '../http/route-family.ts'
import { showPath } from '../http/router.ts'
import type { Caller } from './flow/authenticate.ts'

type Dialect = 'openai' | 'anthropic' | 'vendor'

/** One sentence for what is missing, one for the way out. Paths below a path are included unless it ends in a verb. */
type NotOffered = { readonly path: string; readonly dialect: Dialect; readonly message: string }

const openai = (path: string, message: string): NotOffered => ({ path, dialect: 'openai', message })
const anthropic = (path: string, message: string): NotOffered => ({ path, dialect: 'anthropic', message })
const vendor = (path: string, message: string): NotOffered => ({ path, dialect: 'vendor', message })

const oneByOne = 'Send the requests one by one.'
const noRealtime =
  'Realtime sessions are not offered. Use POST /v1/audio/transcriptions, /v1/chat/completions with stream: true, and /v1/audio/speech.'
const noAssistants =
  'Assistants and threads are not offered. Keep the messages in your client and send them to POST /v1/chat/completions or /v1/responses.'
const noTuning =
  'Fine-tuning is not offered. Put instructions and examples into the prompt of a listed model.'
const noStores =
  'Vector stores are not offered. Create vectors with POST /v1/embeddings and search them in your own program.'
const noAgents =
  'Agents, environments and sessions are not offered. Run the loop in your client, with POST /v1/messages and tools.'
const noLive =
  'The Live API is not offered. Use streamGenerateContent, and POST /v1/audio/transcriptions and /v1/audio/speech for audio.'
const noFileSearch =
  'File search is not offered. Create vectors with embedContent and search them in your own program.'

export const notOffered: readonly NotOffered[] = [
  openai('/v1/batches', `Batches are not offered. ${oneByOne}`),
  openai('/v1/realtime', noRealtime),
  openai(
    '/v1/moderations',
    'Moderation is not offered. Ask a chat model to classify the text, with response_format.',
  ),
  openai(
    '/v1/completions',
    'Text completions are not offered: every model here is a chat model. Send the prompt as a user message to POST /v1/chat/completions.',
  ),
  openai('/v1/engines', 'Engines are not offered. Name the model in the body of POST /v1/chat/completions.'),
  openai(
    '/v1/chat/completions',
    'Chat completions are not stored. Keep the reply to POST /v1/chat/completions.',
  ),
  openai('/v1/assistants', noAssistants),
  openai('/v1/threads', noAssistants),
  openai('/v1/chatkit', noAssistants),
  openai('/v1/vector_stores', noStores),
  openai('/v1/fine_tuning', noTuning),
  openai('/v1/fine-tunes', noTuning),
  openai('/v1/uploads', 'Uploads in parts are not offered. Send the whole file to POST /v1/files.'),
  openai(
    '/v1/images/variations',
    'Image variations are not offered. Send the image to POST /v1/images/edits, with a prompt that says what to change.',
  ),
  openai(
    '/v1/audio/translations',
    'Audio translations are not offered. Send the audio to POST /v1/audio/transcriptions, then the text to a chat model.',
  ),
  openai(
    '/v1/audio/voices',
    'Custom voices are not offered. Name a voice of the model in POST /v1/audio/speech.',
  ),
  openai(
    '/v1/containers',
    'Containers are not offered: the gateway does not run code. Declare a function and run the code in your client.',
  ),
  openai(
    '/v1/evals',
    'Evaluations are not offered. Call the models from your own program and compare the answers there.',
  ),
  openai(
    '/v1/organization',
    'The organization API is not offered. GET /key/info and /team/info show budget, limits and spend.',
  ),
  openai(
    '/v1/responses/:response_id/cancel',
    'No response runs in the background, so none can be cancelled. Close the connection to stop a stream.',
  ),
  openai('/v1/videos/:video_id/remix', 'Remixes are not offered. Describe the new video in POST /v1/videos.'),
  anthropic('/v1/messages/batches', `Message batches are not offered. ${oneByOne}`),
  anthropic(
    '/v1/complete',
    'Text completions are not offered. Send the prompt as a user message to POST /v1/messages.',
  ),
  anthropic(
    '/v1/skills',
    'Skills are not offered. Put the instructions into system, and run the code in your client.',
  ),
  anthropic('/v1/agents', noAgents),
  anthropic('/v1/environments', noAgents),
  anthropic('/v1/sessions', noAgents),
  anthropic(
    '/v1/organizations',
    'The admin API is not offered. GET /key/info and /team/info show budget, limits and spend.',
  ),
  vendor(
    '/vendor/v1beta/cachedContents',
    'Cached contents are not offered. Send the whole prompt in contents of each request.',
  ),
  vendor('/vendor/v1beta/batches', `Batches are not offered. ${oneByOne}`),
  vendor('/vendor/v1beta/models/:model::batchGenerateContent', `Batches are not offered. ${oneByOne}`),
  vendor(
    '/vendor/v1beta/models/:model::asyncBatchEmbedContent',
    'Batches are not offered. Send up to 100 texts to batchEmbedContents, which answers at once.',
  ),
  vendor('/vendor/v1beta/models/:model::bidiGenerateContent', noLive),
  vendor('/vendor/ws', noLive),
  vendor('/vendor/v1beta/auth_tokens', noLive),
  vendor('/vendor/v1beta/tunedModels', noTuning),
  vendor('/vendor/v1beta/corpora', noFileSearch),
  vendor('/vendor/v1beta/fileSearchStores', noFileSearch),
  vendor(
    '/vendor/v1beta/interactions',
    'Interactions are not offered. Keep the turns in your client and send them in contents of generateContent.',
  ),
  vendor(
    '/vendor/v1beta/agents',
    'Agents are not offered. Run the loop in your client, with generateContent and functions.',
  ),
]

/** Routes that only refuse. `families`: the credential and the errors of a dialect; OpenAI's are those of the door. */
export function notOfferedRoutes(
  families: Readonly<Record<Exclude<Dialect, 'openai'>, RouteFamily<Caller>>>,
): Route<Caller>[] {
  return notOffered.map(({ path, dialect, message }) => ({
    method: 'POST',
    path,
    aliases: pathsAt(path, dialect),
    tag: 'Not offered',
    summary: message,
    replies: {},
    errors: ['not_offered'],
    isCrossOrigin: true,
    ...(dialect === 'openai' ? {} : { family: families[dialect] }),
    handle: () => {
      throw new ApiError('not_offered', { message })
    },
  }))
}

const vendorRoot = '/vendor/v1beta/'
const vendorRoots = [vendorRoot, '/vendor/v1/', '/vendor/v1alpha/', '/v1beta/', '/v1alpha/']

/** Where clients look for it: with and without `/v1`, or at the vendor's own versions. */
function pathsAt(path: string, dialect: Dialect): string[] {
  const paths =
    dialect === 'vendor' && path.startsWith(vendorRoot)
      ? vendorRoots.map(root => path.replace(vendorRoot, root))
      : [path, path.replace(/^\/(?:v1|vendor)(?=\/)/, '')]
  return path.includes('::') ? paths : paths.flatMap(each => [each, `${each}/*`])
}

const apis: Readonly<Record<Dialect, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  vendor: 'Vendor',
}

/** The table as a section of the reference page. */
export function createNotOfferedSection(): PageSection {
  const rows = notOffered.map(({ path, dialect, message }) => [
    html`<code>${showPath(path)}</code>`,
    html`${apis[dialect]}`,
    html`${message}`,
  ])
  return {
    id: 'not-offered',
    title: 'Not offered',
    content: html`<p>These paths of other APIs, and all paths below them, answer 404 with the code <code>not_offered</code> and the sentence in the
last column. OpenAI's and Anthropic's paths also work without <code>/v1</code>, the vendor's also below <code>/v1beta</code>.</p>
${renderTable('Paths that are not offered', ['Path', 'API', 'What to use instead'], rows)}`,
  }
}
