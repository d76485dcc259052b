// A collector for journeys: accepts OTLP over HTTP as JSON (opentelemetry-proto 1.x) and shows the spans by the calls that they belong to.

type Value = {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values: readonly Value[] }
}
type Attributes = readonly { readonly key: string; readonly value: Value }[]
type SentSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly attributes: Attributes
}
type Sent = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

export type ReceivedSpan = Omit<SentSpan, 'attributes'> & {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly resource: Readonly<Record<string, unknown>>
}

export class TraceReceiver {
  readonly spans: ReceivedSpan[] = []
  /** Bodies and headers as they came. */
  readonly bodies: string[] = []
  readonly headers: Headers[] = []
  #server: Bun.Server<undefined> | null = null
  readonly #port: number
  #waiting: (() => void)[] = []

  constructor(port: number) {
    this.#port = port
    this.start()
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  start(): void {
    this.#server = Bun.serve({
      port: this.#port,
      hostname: '127.0.0.1',
      fetch: async request => {
        if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
        const body = await request.text()
        this.headers.push(request.headers)
        this.bodies.push(body)
        this.spans.push(...readSpans(JSON.parse(body)))
        for (const wake of this.#waiting.splice(0)) wake()
        return Response.json({})
      },
    })
  }

  async kill(): Promise<void> {
    await this.#server?.stop(true)
  }

  /** Resolves when one has come that fits. */
  async find(fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
    for (;;) {
      const found = this.spans.find(fits)
      if (found !== undefined) return found
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
  }

  /** The span of the call that this reply belongs to. */
  of(response: Response): Promise<ReceivedSpan> {
    const callId = response.headers.get('x-gateway-call-id')
    return this.find(({ attributes }) => attributes['fairgate.call.id'] === callId)
  }
}

function readSpans({ resourceSpans }: Sent): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(span => ({
        ...span,
        attributes: readAttributes(span.attributes),
        resource: readAttributes(resource.attributes),
      })),
    ),
  )
}

function readAttributes(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]))
}

function readValue({ arrayValue, intValue, ...plain }: Value): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(readValue)
  return intValue === undefined ? Object.values(plain)[0] : Number(intValue)
}
