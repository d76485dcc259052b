// Entry point of the hostile vendor as a process. It reads the same variables as the sandbox.
import { runSandbox } from '../src/run-sandbox.ts'
import { startHostileVendor } from './start-hostile-vendor.ts'

await runSandbox(startHostileVendor)
