// Makes what routes of the gateway need besides a key: stored responses and files, a submission, and for the team page a member as its owner,
// with a log token, and a waiting question.
import { createHash } from 'node:crypto'
import { handInExample } from '@fairgate/contracts/console/submissions.ts'
import type { MadeClaims } from '@fairgate/contracts/management/claims.ts'
import type { DoorRoute, NamedValues } from './door-routes.ts'
import type { Management } from './management.ts'

export type OwnerPlace = {
  readonly gatewayUrl: string
  readonly post: Management['post']
  readonly team_id: string
  /** A key of the team; it becomes the member's. */
  readonly key: string
}

/** The event asks for submissions, and the team has handed in what the example of the route says. */
async function prepareSubmission(
  path: string,
  { gatewayUrl, post, team_id, key }: OwnerPlace,
): Promise<NamedValues> {
  await post('/event/apply', { file: 'submission: {}' })
  const send = (method: string, at: string, body: string) =>
    fetch(`${gatewayUrl}/self/submission${at}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
  if (path.includes('{version}')) {
    await send('PUT', '', JSON.stringify(handInExample))
    return { version: 1 }
  }
  if (!path.includes('{file_id}')) return {}
  const { file_id } = (await (await send('POST', '/files', 'Notes')).json()) as { file_id: string }
  return { team_id, file_id }
}

/** Things that the key has stored, for routes that name them. */
async function prepareStored(
  { path, method }: Pick<DoorRoute, 'path' | 'method'>,
  { gatewayUrl, key }: OwnerPlace,
): Promise<NamedValues> {
  const create = async (at: string, body: string | FormData) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    }
    const reply = await fetch(`${gatewayUrl}/v1/${at}`, { method: 'POST', headers, body })
    return ((await reply.json()) as { id: string }).id
  }
  if (path.includes('{response_id}'))
    return {
      response_id: await create('responses', JSON.stringify({ model: 'mm-2.5-flash', input: 'Hello' })),
    }
  // A vendor's file is usually a video, which cannot be deleted.
  const isUpload = path.includes('{file_id}') || (method === 'DELETE' && path.includes('/files/{file}'))
  if (!isUpload) return {}
  const form = new FormData()
  form.set('purpose', 'user_data')
  form.set('file', new File(['Notes'], 'notes.txt'))
  const file_id = await create('files', form)
  return path.includes('{file}') ? { file: file_id.replace('file-', '') } : { file_id }
}

export async function prepareOwner(
  { path, method }: Pick<DoorRoute, 'path' | 'method'>,
  { gatewayUrl, post, team_id, key }: OwnerPlace,
): Promise<NamedValues> {
  if (/^\/(?:self\/submission|submissions\/)/.test(path))
    return await prepareSubmission(path, { gatewayUrl, post, team_id, key })
  const stored = await prepareStored({ path, method }, { gatewayUrl, post, team_id, key })
  if (Object.keys(stored).length > 0) return stored
  if (path.includes('{question_id}')) {
    const reply = await fetch(`${gatewayUrl}/self/questions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'May we?' }),
    })
    const { question_id } = (await reply.json()) as { question_id: string }
    return { question_id }
  }
  if (!/^\/self\/(entries|keys|log_tokens|sessions\/)/.test(path)) return {}
  const name = `Owner for ${method} ${path}`
  const { member_id } = await post<{ member_id: string }>('/people', { team_id, name })
  if (path === '/self/log_tokens') {
    // Only for members who joined with a code.
    const { items } = await post<MadeClaims>('/claims', { teams: [team_id] })
    const form = new FormData()
    form.set('member', member_id)
    form.set('want', 'key')
    await fetch(`${gatewayUrl}/join/${items[0]?.code}`, { method: 'POST', body: form })
  }
  await post('/key/update', { key, member_id })
  await post('/log_token/generate', { team_id, member_id })
  if (!path.includes('{key_id}')) return {}
  const other = await post<{ key: string }>('/key/generate', { team_id, member_id })
  return { key_id: createHash('sha256').update(other.key).digest('hex') }
}
