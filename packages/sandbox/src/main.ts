// Entry point of `npm run sandbox`.
import { runSandbox } from './run-sandbox.ts'
import { startSandbox } from './start-sandbox.ts'

await runSandbox(startSandbox)
