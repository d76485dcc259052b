// Shared by a server and the parent of multiple servers: output, and distinguishing one signal from two.
import { readFileSync, writeSync } from 'node:fs'

const echoMs = 250

/**
 * True if a signal so soon after the first is the same one. Under a parent one Ctrl-C arrives twice, from the terminal and from the parent; a
 * SIGTERM to all processes of a service does too.
 */
export function isEcho(milliseconds: number): boolean {
  return process.send !== undefined && milliseconds < echoMs
}

/** Without this setting the kernel resets connections that the other process has not accepted yet when it stops listening. */
export function adviseKernel(): string {
  try {
    if (readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1') return ''
  } catch {
    // A kernel before 5.14, or not Linux.
  }
  return 'Set net.ipv4.tcp_migrate_req to 1 (sysctl), or connections that arrive during the change may be reset.\n'
}

/** A full disk or a reader that has left must not end the server. */
export function print(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text)
  } catch {
    // No one is left to report to.
  }
}
