// The page that `status` shows.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import type { Status } from './status.ts'
import type { ToolSummary } from './summarize-tools.ts'

export function describeStatus(status: Status): string {
  const { repo, logbookUrl, hasToken, tools, pending, sent, rejected, lastSend, skipped, missed, secrets } =
    status
  const lines = [
    repo === null ? 'repository  no remote named origin: nothing is recorded here' : `repository  ${repo}`,
    `logbook     ${logbookUrl ?? 'not set'}${hasToken ? '' : ', no log token'}`,
    `entries     ${pending} waiting, ${sent} sent, ${rejected.length} refused`,
    lastSend === null
      ? 'last send   never'
      : `last send   ${lastSend.at}: ${lastSend.sent} sent${lastSend.stop === null ? '' : `, stopped: ${lastSend.stop}`}`,
    '',
    ...tools.map(describeTool),
    ...skipped.map(
      ({ tool, reason, count, lastAt }) =>
        `skipped  ${tool}: ${count} ${count === 1 ? 'event' : 'events'}, last at ${lastAt}: ${reason}`,
    ),
    ...missed.map(
      ({ tool, folder, count }) =>
        `missed   ${tool}: ${count} ${count === 1 ? 'session was' : 'sessions were'} started in the subfolder ${folder} and not recorded: start it at the top`,
    ),
    ...rejected.map(({ name, code, message }) => `refused  ${name}: ${code}: ${message}`),
    ...secrets.map(
      ({ name, kinds }) => `secret?  ${name}: ${kinds.join(', ')}. It will be sent as it is: replace it`,
    ),
  ]
  return `${lines.map(showLine).join('\n')}\n`
}

function describeTool(summary: ToolSummary): string {
  const { tool, counts, lastEvent, lastEventAt, neverSeen } = summary
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const last = lastEvent === null ? 'nothing yet' : `${total} entries, last ${lastEvent} at ${lastEventAt}`
  const missing = neverSeen.length === 0 ? '' : `; never seen: ${neverSeen.join(', ')}`
  return `${tool.padEnd(12)}${describeHooks(summary).padEnd(13)}${last}${missing}`
}

function describeHooks({ installedIn, isTrusted, switchedOff, lastEvent }: ToolSummary): string {
  if (installedIn === null) return 'no hooks'
  if (switchedOff !== null) return 'switched off'
  // What was recorded is a better proof than what the tool's own files say.
  return isTrusted === false && lastEvent === null ? 'not trusted' : 'hooked'
}
