// Opens the export of traces: one span for each call of a model. Null unless the environment names a collector; then no module of
// OpenTelemetry is loaded, and calls run as if this folder did not exist.
import type { Catalog } from '../../catalog/types.ts'
import { readVersion } from '../../limits/start-ledger.ts'
import type { World } from '../../world/world.ts'
import { CallSpans } from './call-spans.ts'

export type Traces = CallSpans

export async function openTraces(world: World, catalog: Catalog): Promise<Traces | null> {
  const { config, log, clock, newId, onStop } = world
  if (!config.exportsTraces) return null
  const { createSpanExporter } = await import('./export-spans.ts')
  const exporter = createSpanExporter({
    version: await readVersion(),
    instanceId: newId(),
    reportFailure: cause =>
      log.warn(
        { cause },
        'Traces could not be exported. Spans are dropped until the collector accepts them.',
      ),
    reportRecovery: lost => log.info({ lost }, 'Traces are exported again.'),
  })
  onStop(exporter.close)
  return new CallSpans({
    catalog,
    clock,
    emit: exporter.emit,
    reportError: (error, callId) =>
      log.warn({ err: error, call_id: callId }, 'The span of a call could not be written.'),
  })
}
