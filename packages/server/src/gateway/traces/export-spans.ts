// Exports spans with OpenTelemetry's own SDK and exporter: OTLP over HTTP, as JSON. They read their OTEL_… variables themselves: collector,
// headers, sampler, resource, sizes of queue and batches. Loaded only while traces are exported (110 ms and 22 MB).
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { CallSpan } from './call-spans.ts'

export type ExportOptions = {
  /** The version of this server. */
  readonly version: string
  /** Distinguishes this process from others of the same installation. */
  readonly instanceId: string
  /** Called once when the export begins to fail, with the class of the error: messages could quote what a collector sends. */
  readonly reportFailure: (cause: string) => void
  /** `lost`: spans of the failed exports. */
  readonly reportRecovery: (lost: number) => void
}

/** At the end of the process, for all spans that wait. */
const flushMs = 2000

export function createSpanExporter({ version, instanceId, reportFailure, reportRecovery }: ExportOptions) {
  const processor = new BatchSpanProcessor(
    watchExports(new OTLPTraceExporter(), reportFailure, reportRecovery),
  )
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': 'fairgate',
          'service.version': version,
          'service.instance.id': instanceId,
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('fairgate', version)
  return {
    emit: ({ name, attributes, isFailure, startedAt, endedAt, traceparent }: CallSpan): void => {
      const span = tracer.startSpan(
        name,
        { kind: SpanKind.SERVER, startTime: startedAt, attributes },
        readParent(traceparent),
      )
      if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endedAt)
    },
    /** Sends what waits, for two seconds at most. */
    close: async (): Promise<void> => {
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, flushMs)
      // Failures have been reported.
      await Promise.race([provider.shutdown().catch(() => undefined), timeout.promise])
      clearTimeout(timer)
    },
  }
}

const propagator = new W3CTraceContextPropagator()

/** A header that the standard forbids has no effect. The client's `tracestate` is not read, because it may contain anything. */
function readParent(traceparent: string | null): Context {
  if (traceparent === null) return ROOT_CONTEXT
  return propagator.extract(ROOT_CONTEXT, traceparent, {
    keys: () => ['traceparent'],
    get: (carrier, name) => (name === 'traceparent' ? carrier : undefined),
  })
}

/** Reports a collector that fails once, however long that lasts. */
function watchExports(
  exporter: SpanExporter,
  reportFailure: ExportOptions['reportFailure'],
  reportRecovery: ExportOptions['reportRecovery'],
): SpanExporter {
  let lost = 0
  const note = ({ code, error }: ExportResult, spans: number): void => {
    if (code !== ExportResultCode.SUCCESS) {
      if (lost === 0) reportFailure(describeFailure(error))
      lost += spans
    } else if (lost > 0) {
      reportRecovery(lost)
      lost = 0
    }
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        note(result, spans.length)
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

/** A code, such as ECONNREFUSED or the collector's HTTP status. */
function describeFailure(error: Error | undefined): string {
  const code: unknown = error === undefined ? undefined : Reflect.get(error, 'code')
  return typeof code === 'string' || typeof code === 'number' ? String(code) : (error?.name ?? 'unknown')
}
