// Checks whether the ports of the doors can be opened, where no server has them yet.
import { createServer } from 'node:net'
import { type Finding, fault, ok, warning } from './finding.ts'

export type PortPlace = { readonly name: string; readonly host: string; readonly port: number }

/** `isServing`: the ports are those of the server that asks. */
export async function checkPorts(places: readonly PortPlace[], isServing: boolean): Promise<Finding[]> {
  if (isServing) return [ok(`open: ${places.map(describePlace).join(', ')}`)]
  const findings = await Promise.all(places.map(tryPort))
  return findings.flat()
}

function describePlace({ name, host, port }: PortPlace): string {
  return `${name} ${host.includes(':') ? `[${host}]` : host}:${port}`
}

async function tryPort(place: PortPlace): Promise<Finding[]> {
  if (place.port === 0)
    return [
      warning(`${place.name} takes any free port at each start`, `Set a port for the ${place.name} door.`),
    ]
  const code = await listenOnce(place)
  if (code === null) return [ok(`${describePlace(place)} is free`)]
  const text = `${describePlace(place)} cannot be opened (${code})`
  const fixes: Readonly<Record<string, string>> = {
    EADDRINUSE: `Stop the program that has it (ss -ltnp 'sport = :${place.port}'), or choose another port.`,
    EACCES: 'Ports below 1024 need a right: put a proxy in front (deploy/), or choose a higher port.',
    EADDRNOTAVAIL: 'This machine does not have that address: correct FAIRGATE_HOST or FAIRGATE_ADMIN_HOST.',
    ENOTFOUND: 'This name has no address: correct FAIRGATE_HOST or FAIRGATE_ADMIN_HOST.',
  }
  return [fault(text, fixes[code] ?? 'Choose another address or port.')]
}

/** Null when it could be opened. */
function listenOnce({ host, port }: PortPlace): Promise<string | null> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
