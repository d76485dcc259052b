// Finds the Chromium of this machine.
import { existsSync } from 'node:fs'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Null if this machine has no Chromium; the suites then say that they are skipped. */
export function findChromium(): string | null {
  return process.env.CHROMIUM ?? places.find(existsSync) ?? null
}
