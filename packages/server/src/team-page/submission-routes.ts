// GET and PUT /self/submission, its versions and its files: what the team hands in, by the page or by a program.
import {
  handInBodySchema,
  maxVersions,
  type OwnVersion,
  ownSubmissionSchema,
  ownVersionSchema,
  uploadedFileSchema,
  uploadQuerySchema,
} from '@fairgate/contracts/console/submissions.ts'
import Type from 'typebox'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Route } from '../http/route.ts'
import { momentOf, type SelfSources, selfRoute } from './self-route.ts'

const path = '/self/submission'

export function submissionRoutes(sources: SelfSources): Route<Caller>[] {
  const { submissions } = sources
  return [
    selfRoute({
      path,
      summary: "Get your team's submission: what is asked for, until when, and all versions",
      description:
        '`named_in_log` says whether the named repository and commit occur in the log entries of your team.',
      reply: ownSubmissionSchema,
      errors: ['submission_not_found'],
      look: ({ team }) => submissions.readOwn(team.teamId),
    }),
    selfRoute({
      method: 'PUT',
      path,
      summary: 'Hand in, or hand in again',
      description:
        `Each time adds a version, up to ${maxVersions}, and the newest one counts; all are kept. The same content again adds none, so a request can be repeated. ` +
        'After the deadline a version is marked late, or refused if the event says so.',
      body: handInBodySchema,
      maxBodyBytes: 131_072,
      reply: ownSubmissionSchema,
      errors: ['invalid_request', 'invalid_json', 'submissions_closed', 'file_not_found', 'conflict'],
      look: ({ key }, { body }) => submissions.handIn(key, body),
    }),
    selfRoute({
      path: `${path}/versions/:version`,
      summary: 'Get one version of your submission',
      reply: ownVersionSchema,
      errors: ['submission_not_found'],
      look: async ({ team }, { params: { version = '' } }): Promise<OwnVersion> => {
        const number = /^[1-9]\d{0,5}$/.test(version) ? Number(version) : 0
        const { as_of } = momentOf(sources)
        return { as_of, ...(await submissions.readVersion(team.teamId, number)) }
      },
    }),
    selfRoute({
      method: 'POST',
      path: `${path}/files`,
      summary: 'Upload a file to hand in',
      description:
        'The body is the file itself, with `Content-Type: application/octet-stream`. Then name its id in `files` of `PUT /self/submission`.',
      query: uploadQuerySchema,
      bodyKind: 'raw',
      body: Type.Unsafe<Uint8Array<ArrayBuffer>>({ description: 'The bytes of the file' }),
      maxBodyBytes: submissions.maxFileBytes,
      reply: uploadedFileSchema,
      status: 201,
      errors: [
        'invalid_request',
        'submissions_closed',
        'unsupported_media_type',
        'payload_too_large',
        'body_bytes_exceeded',
        'files_exceeded',
      ],
      look: ({ key }, { body, query, request }) =>
        submissions.upload(key, query.filename ?? 'unnamed', body, request.signal),
    }),
    selfRoute({
      path: `${path}/files/:file_id`,
      summary: 'Download a file that your team has uploaded to hand in',
      reply: Type.String({ description: 'The file', contentMediaType: 'application/octet-stream' }),
      replyHeaders: ['content-disposition', 'cache-control'],
      errors: ['file_not_found'],
      keepsOpen: true,
      look: ({ team }, { params: { file_id: fileId = '' }, request }) =>
        submissions.download(team.teamId, fileId, request.signal),
    }),
  ]
}
