// Submissions: what a team hands in, versions, files and refusals, and what organisers read of it.
import type { Wire } from '../start-wire.ts'

export async function recordSubmissions(wire: Wire): Promise<void> {
  const key = await wire.team('submissions', { team_alias: 'Tides' })
  const admin = { door: 'admin', bearer: wire.adminKey } as const
  const set = (name: string, submission: object | null) =>
    wire.ask(name, 'PUT /event', { ...admin, body: { submission } })
  const get = (name: string, path = '') => wire.ask(name, `GET /self/submission${path}`, { bearer: key })
  const put = (name: string, body: object) => wire.ask(name, 'PUT /self/submission', { bearer: key, body })
  const read = (name: string, path: string) => wire.ask(name, `GET /submissions${path}`, admin)
  const upload = (name: string, query: string, body: string) =>
    wire.ask(name, `POST /self/submission/files${query}`, {
      bearer: key,
      headers: { 'content-type': 'application/octet-stream' },
      body,
    })

  await get('nothing is asked for')
  await put('handing in what is not asked for', { based_on: 0, title: 'Tides' })
  await set('ask for submissions', { disclosure: 'Which AI tools did you use?', max_files: 1 })
  await get('nothing was handed in')
  const texts = { title: 'Tides', disclosure: 'None' }
  await put('without the disclosure', { based_on: 0, title: 'Tides' })
  await put('with a bad repository', { based_on: 0, ...texts, repository: 'tides' })
  await put('with a bad commit', { based_on: 0, ...texts, commit: 'main' })
  await put('with a bad link', { based_on: 0, ...texts, demo_url: 'javascript:alert(1)' })
  await put('with an unknown member', { based_on: 0, ...texts, score: 5 })
  await put('on top of a version that is not there', { based_on: 1, ...texts })
  const whole = { ...texts, summary: 'Safe hours.', repository: 'red/tides', commit: '9F2C1AB' }
  await put('a version', { based_on: 0, ...whole })
  await put('the same again', { based_on: 0, ...whole })
  await get('the first version', '/versions/1')
  await get('a version that is not there', '/versions/2')
  const file = (await upload('a file', '?filename=notes.md', 'Notes')).read('file_id')
  await upload('a program', '?filename=notes.txt', '\0')
  await upload('a file without a name', '', 'Notes')
  await get('a file of the team', `/files/${file}`)
  await get('an unknown file', '/files/submitted-none')
  await put('an unknown file to hand in', { based_on: 1, ...texts, files: ['submitted-none'] })
  await put('too many files', { based_on: 1, ...texts, files: ['a', 'b'] })
  await read('the list', '?state=handed_in')
  await read('a bad state', '?state=good')
  await read('a team', '/submissions')
  await read('an unknown team', '/nobody')
  await read('a version that the team does not have', '/submissions?version=9')
  await read('a file as organiser', `/submissions/files/${file}`)
  await read('an unknown file as organiser', '/submissions/files/submitted-none')
  wire.rows(
    'rows',
    'select team_id, version, due_at, member_id, length(salt) as salt_bytes, length(commitment) as commitment_bytes from submissions',
  )
  await set('ask for nothing again', null)
}
