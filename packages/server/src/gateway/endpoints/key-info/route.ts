// GET /key/info: the key record of the calling key (spec 2.1, 4.1).

import { keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import { defineRoute } from '../../../http/route.ts'
import type { OwnerRecords } from '../../../limits/owner-records.ts'
import type { createInfoCall } from '../../info-call.ts'
import { infoCallErrors } from '../../info-call-errors.ts'
import type { Caller } from '../../stages/1-authenticate.ts'

export type KeyInfoDependencies = {
  readonly infoCall: ReturnType<typeof createInfoCall>
  readonly records: Pick<OwnerRecords, 'keyInfo'>
}

export function keyInfoRoute({ infoCall, records }: KeyInfoDependencies) {
  return defineRoute<Caller, undefined, undefined>({
    method: 'GET',
    path: '/key/info',
    tag: 'Key and team',
    summary: 'The record of the calling key',
    description: 'Answers also while the team is over its budget or a limit.',
    replies: { 200: keyInfoSchema },
    errors: infoCallErrors,
    handle: (caller, context) => infoCall(caller, context.callId, () => records.keyInfo(caller.key)),
  })
}
