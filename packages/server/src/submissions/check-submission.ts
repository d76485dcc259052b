// Turns what a team sends into the content of a version. Pure rules; errors name the member at fault.
import type { HandInBody } from '@fairgate/contracts/console/submissions.ts'
import type { SubmissionSettings } from '@fairgate/contracts/management/submission-settings.ts'
import { checkLink } from '../directory/announcements.ts'
import { refuseValue } from '../directory/refusals.ts'
import type { SubmissionContent } from '../evidence/seal-submission.ts'

/** With the ids of its files, whose facts are in the store. Throws ApiError `invalid_request`. */
export function checkSubmission(
  body: HandInBody,
  { disclosure: asked, max_files: maxFiles }: SubmissionSettings,
): Omit<SubmissionContent, 'files'> & { readonly fileIds: readonly string[] } {
  const fileIds = [...new Set(body.files ?? [])]
  if (fileIds.length > maxFiles)
    throw refuseValue(
      'files',
      maxFiles === 0
        ? 'this event asks for no files. Use links instead.'
        : `there are ${fileIds.length} files; at most ${maxFiles} can be handed in.`,
    )
  const disclosure = readText(body.disclosure)
  if (asked !== null && disclosure === null)
    throw refuseValue('disclosure', `the organisers ask for this text: ${asked}`)
  return {
    title: checkTitle(body.title),
    summary: readText(body.summary),
    repository: checkOptional(body.repository, checkRepository),
    commit: checkOptional(body.commit, checkCommit),
    demoUrl: checkOptional(body.demo_url, link => checkLink('demo_url', link)),
    videoUrl: checkOptional(body.video_url, link => checkLink('video_url', link)),
    disclosure,
    fileIds,
  }
}

/** Any characters may be pasted: pages show what is invisible, and exports guard their cells. */
function readText(text: string | null | undefined): string | null {
  const trimmed = (text ?? '').replaceAll('\r\n', '\n').trim()
  return trimmed === '' ? null : trimmed
}

function checkOptional(text: string | null | undefined, check: (text: string) => string): string | null {
  const trimmed = (text ?? '').trim()
  return trimmed === '' ? null : check(trimmed)
}

function checkTitle(text: string): string {
  const title = text.replaceAll(/\s+/g, ' ').trim()
  if (title === '') throw refuseValue('title', 'write at least one visible character.')
  return title
}

function checkCommit(text: string): string {
  if (/^[0-9a-f]{7,64}$/i.test(text)) return text.toLowerCase()
  throw refuseValue(
    'commit',
    `"${text}" is not a commit. Use 7 to 64 hex digits, as "git rev-parse HEAD" prints them.`,
  )
}

function checkRepository(text: string): string {
  if (nameRepository(text) !== null) return text
  const url = URL.parse(text)
  throw refuseValue(
    'repository',
    url !== null && url.password !== ''
      ? 'an address that others can read must not contain credentials.'
      : 'use an address such as https://github.com/owner/name or git@github.com:owner/name.git, or owner/name.',
  )
}

const schemes: ReadonlySet<string> = new Set(['https:', 'http:', 'ssh:', 'git:'])
/** Pages of a forge within a repository. */
const pageOfForge = /\/(?:-\/.*|(?:tree|blob|commits?|releases|src)\/.*)$/
const lastName = /^(?:.*\/)?([\p{L}\p{N}._-]{1,128})$/u

/** The repository's name in lower case, as entries name it, without its owner; null for a text that names none. */
export function nameRepository(text: string): string | null {
  const path = readPath(text)
  if (path === null) return null
  const name = lastName.exec(path.replace(/\/+$/, '').replace(pageOfForge, ''))?.[1]?.replace(/\.git$/i, '')
  return name === undefined || /^\.*$/.test(name) ? null : name.toLowerCase()
}

/** The path with at least two parts, or one after a host. */
function readPath(text: string): string | null {
  const url = /^[a-z+]+:\/\//i.test(text) ? URL.parse(text) : null
  if (url !== null) {
    const isSsh = url.protocol === 'ssh:'
    if (!schemes.has(url.protocol) || url.password !== '' || (url.username !== '' && !isSsh)) return null
    return safeDecode(url.pathname)
  }
  const scp = /^[\w.-]+@[\w.-]+:(?!\/\/)(.+)$/.exec(text)?.[1]
  if (scp !== undefined) return scp
  return /^[\p{L}\p{N}._-]+(?:\/[\p{L}\p{N}._-]+)+$/u.test(text) ? text : null
}

function safeDecode(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
