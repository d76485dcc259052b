// Checks the file descriptors: how many the process may open, how many it has open, and whether connections wait for some.
import type { DescriptorFacts } from '../../process/watch-descriptors.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

/** A call that waits for its upstream takes up to three: 1,000 calls at once and the reserve fit in. */
const enough = 4096
const raise = 'Raise the limit: LimitNOFILE of systemd (deploy/systemd), ulimits of Docker, or ulimit -n.'

/** `isServing`: the figures are those of the server, not of this command. */
export function checkDescriptors(facts: DescriptorFacts, isServing: boolean): Finding[] {
  const { limit, open, reserve, isHolding } = facts
  if (limit === null) return [ok('this system does not say how many descriptors a process may open')]
  const use = isServing ? `${open} of ${limit} descriptors in use` : `a process may open ${limit} descriptors`
  if (isHolding)
    return [
      fault(
        `${use}: new connections wait until some are closed`,
        `${raise} See who holds the connections: ss -tn state established`,
      ),
    ]
  if (limit < enough) return [warning(`${use}, fewer than ${enough}`, raise)]
  if (!isServing) return [ok(use)]
  return reserve === null
    ? [warning(`${use}; connections may use up all of them on this system`, 'Run the server on Linux.')]
    : [ok(`${use}; new connections wait from ${limit - reserve} on`)]
}
