// The page that `status` shows.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import type { ToolState } from '../install/inspect/judge-tool.ts'
import { nameSuspect } from '../push/describe-sending.ts'
import { missingEmail } from './describe-install.ts'
import type { Status } from './status.ts'
import type { ToolSummary } from './summarize-tools.ts'

export function describeStatus(status: Status): string {
  const { repo, student, logbookUrl, hasToken, tools, pending, sent, rejected, lastSend } = status
  const { skipped, missed, secrets } = status
  const lines = [
    repo === null ? 'repository  no remote named origin: nothing is recorded here' : `repository  ${repo}`,
    ...(student === '' ? [`committer   ${missingEmail}`] : []),
    `logbook     ${logbookUrl ?? 'not set'}${hasToken ? '' : ', no log token'}`,
    `entries     ${pending} waiting, ${sent} sent, ${rejected.length} refused`,
    lastSend === null
      ? 'last send   never'
      : `last send   ${lastSend.at}: ${lastSend.sent} sent${lastSend.stop === null ? '' : `, stopped: ${lastSend.stop}`}`,
    '',
    ...tools.map(describeTool),
    ...tools.flatMap(explainTool),
    ...skipped.map(
      ({ tool, reason, count, lastAt }) =>
        `skipped  ${tool}: ${count} ${count === 1 ? 'event' : 'events'}, last at ${lastAt}: ${reason}`,
    ),
    ...missed.map(
      ({ tool, folder, count }) =>
        `missed   ${tool}: ${count} ${count === 1 ? 'session was' : 'sessions were'} started in the subfolder ${folder} and not recorded: start it at the top`,
    ),
    ...rejected.map(({ name, code, message }) => `refused  ${name}: ${code}: ${message}`),
    ...secrets.map(suspect => `secret?  ${nameSuspect(suspect)}. It will be sent as it is: replace it`),
  ]
  return `${lines.map(showLine).join('\n')}\n`
}

function describeTool(summary: ToolSummary): string {
  const { tool, counts, lastEvent, lastEventAt, neverSeen } = summary
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const last = lastEvent === null ? 'nothing yet' : `${total} entries, last ${lastEvent} at ${lastEventAt}`
  const missing = neverSeen.length === 0 ? '' : `; never seen: ${neverSeen.join(', ')}`
  return `${tool.padEnd(12)}${labels[summary.state].padEnd(13)}${last}${missing}`
}

const labels: Readonly<Record<ToolState, string>> = {
  ok: 'hooked',
  unseen: 'hooked',
  'no hooks': 'no hooks',
  gone: 'hooks gone',
  incomplete: 'incomplete',
  elsewhere: 'other path',
  unreadable: 'unreadable',
  'switched off': 'switched off',
  'not trusted': 'not trusted',
}

function explainTool({ tool, reason }: ToolSummary): string[] {
  return reason === null ? [] : [`! ${tool}: ${reason}`]
}
