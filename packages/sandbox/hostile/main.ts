// The entry of the hostile vendor as a process; it reads the same variables as the sandbox.
import { runSandbox } from '../src/run-sandbox.ts'
import { startHostileVendor } from './start-hostile-vendor.ts'

await runSandbox(startHostileVendor)
