// The catalog's models on the gateway's reference page: their names, costs, inputs, outputs and end dates.
import { maximumTexts } from '@fairgate/contracts/embeddings/request.ts'
import { videoSeconds } from '@fairgate/contracts/videos/request.ts'
import { describeModel } from '../catalog/describe-model.ts'
import type { Catalog, CatalogModel, Modality } from '../catalog/types.ts'
import type { PageSection, ReadSections } from '../http/docs-page.ts'
import { html, type Markup, renderTable } from '../http/html.ts'

type Models = Pick<Catalog, 'models' | 'families'>

/** Kind → the caption of its table, in page order. */
const captions: Readonly<Record<Modality, string>> = {
  chat: 'Chat: /v1/chat/completions',
  image: 'Images by a chat model: /v1/images/generations, /v1/images/edits, /v1/chat/completions',
  imggen: 'Images: /v1/images/generations',
  speech: 'Speech: /v1/audio/speech',
  music: 'Music: /v1/audio/speech',
  transcription: 'Transcription: /v1/audio/transcriptions',
  embedding: 'Embeddings: /v1/embeddings',
  video: 'Video: /v1/videos, or predictLongRunning of the pass-through',
}

/** Rendered once per catalog: the list stays the same until another catalog applies. `others` follow the models. */
export function createModelsSection(catalog: Models, others: readonly PageSection[] = []): ReadSections {
  let shown: { readonly models: Catalog['models']; readonly sections: readonly PageSection[] } | null = null
  return () => {
    const { models } = catalog
    if (shown?.models !== models) shown = { models, sections: [renderModels(catalog), ...others] }
    return shown.sections
  }
}

function renderModels({ models, families }: Models): PageSection {
  const kinds = Object.entries(captions) as [Modality, string][]
  const all = [...models, ...families]
  return {
    id: 'models',
    title: 'Models, prices and limits',
    content: html`<p>The models of this gateway. <code>GET /v1/models</code> lists those that your key can call. Prices are in US dollars, per
million tokens or characters, or per named unit. Max input and max output are tokens of one call. A name with <code>*</code> stands
for all names with that beginning.</p>
${kinds.map(([kind, caption]) =>
  renderKind(
    caption,
    all.filter(({ modality }) => modality === kind),
  ),
)}`,
  }
}

/** One model, or one of a model's price tiers. */
type Row = {
  readonly name: Markup
  readonly model: CatalogModel | null
  readonly rates: Rates
  readonly sizes: Readonly<Record<string, number>>
}

type Rates = Readonly<Record<string, number>>

type Column = { readonly head: string; readonly cells: readonly (Markup | null)[] }

/** Leaves out columns that are empty for all models of the kind. */
function renderKind(caption: string, models: readonly CatalogModel[]): Markup {
  const rows = models.flatMap(listRows)
  const column = (head: string, write: (row: Row) => Markup | null): Column => ({
    head,
    cells: rows.map(write),
  })
  const columns = [
    column('Model', ({ name }) => name),
    ...Object.entries(rateNames).map(([member, rate]) =>
      column(rate.name, ({ rates }) => {
        const amount = readRate(rates, member, rate)
        return amount === null ? null : html`${writeUsd(amount)}`
      }),
    ),
    column('An image', listImagePrices),
    column('Max input', ({ model }) => (model === null ? null : html`${count(model.contextLimit)}`)),
    column('Max output', ({ model }) =>
      model === null || model.maxOutput === 0 ? null : html`${count(model.maxOutput)}`,
    ),
    column('Limits', ({ model }) => (model === null ? null : writeLines(listLimits(model)))),
    column('Ends', ({ model }) => (model?.retiresOn == null ? null : html`${model.retiresOn}`)),
  ].filter(({ cells }) => cells.some(cell => cell !== null))
  const markup = renderTable(
    caption,
    columns.map(({ head }) => head),
    rows.map((_, index) => columns.map(({ cells }) => cells[index] ?? html``)),
  )
  return html`<div class="figures">${markup}</div>`
}

function listRows(model: CatalogModel): Row[] {
  const { price, price_above: above, image_tokens: sizes } = describeModel(model)
  const name = html`<code>${model.id}</code>${model.aliases.map(alias => html`<br>also <code>${alias}</code>`)}`
  const tiers = Object.entries(above).map(([tokens, rates]) => ({
    name: html`above ${count(Number(tokens))} input tokens`,
    model: null,
    rates,
    sizes,
  }))
  return [{ name, model, rates: price, sizes }, ...tiers]
}

type RateName = { readonly name: string; readonly follows?: string }

/** Prices in page order. A price that follows from another is shown only if it differs. */
const rateNames: Readonly<Record<string, RateName>> = {
  input: { name: 'Input' },
  input_audio: { name: 'Audio input', follows: 'input' },
  input_image: { name: 'Image input', follows: 'input' },
  input_video: { name: 'Video input', follows: 'input' },
  input_characters: { name: 'Input characters' },
  cached_input: { name: 'Cached input', follows: 'input' },
  cache_write_5m: { name: 'Input cached for 5 minutes' },
  cache_write_1h: { name: 'Input cached for an hour' },
  output: { name: 'Output' },
  reasoning: { name: 'Reasoning', follows: 'output' },
  output_audio: { name: 'Audio output' },
  output_image: { name: 'Image output' },
  image: { name: 'An image' },
  song: { name: 'A piece of music' },
  search: { name: 'A web search' },
  second_720p: { name: 'A second in 720p' },
  second_1080p: { name: 'A second in 1080p' },
  second_4k: { name: 'A second in 4k' },
  request: { name: 'predictLongRunning' },
}

function readRate(rates: Rates, member: string, { follows }: RateName): number | null {
  const rate = rates[member]
  if (rate === undefined) return null
  return follows !== undefined && rates[follows] === rate ? null : rate
}

function listImagePrices({ rates: { output_image: rate }, sizes }: Row): Markup | null {
  if (rate === undefined) return null
  return writeLines(
    Object.entries(sizes).map(([size, tokens]) => `${size}: ${writeUsd((tokens * rate) / 1e6)}`),
  )
}

function writeLines(lines: readonly string[]): Markup | null {
  if (lines.length === 0) return null
  return html`${lines.map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`))}`
}

// Creating one per figure would take a hundred times as long.
const whole = new Intl.NumberFormat('en-US')
/** At least cents; never an exponent. */
const dollars = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 9 })

function count(amount: number): string {
  return whole.format(amount)
}

function writeUsd(amount: number): string {
  return dollars.format(amount)
}

/** The limits of one call, and those of all teams together. */
function listLimits(model: CatalogModel): string[] {
  const { modality, maxOutput, defaultOutputCap, rpmLimit, tpmLimit } = model
  return [
    ...(defaultOutputCap < maxOutput ? [`output: ${count(defaultOutputCap)} by default`] : []),
    ...listCallLimits(model, modality),
    ...(rpmLimit === null ? [] : [`all teams: ${count(rpmLimit)} requests per minute`]),
    ...(tpmLimit === null ? [] : [`all teams: ${count(tpmLimit)} tokens per minute`]),
  ]
}

function listCallLimits({ price, audioFormats, voices }: CatalogModel, modality: Modality): string[] {
  switch (modality) {
    case 'image':
      return ['1 image per call']
    case 'imggen':
      return ['1 to 4 images per call']
    case 'speech':
      return voices === null ? [] : [`${voices.length} voices`]
    case 'music':
      return ['1 piece per call', `as ${audioFormats.join(' or ')}`]
    case 'embedding':
      return [`1 to ${maximumTexts} texts per call`]
    case 'video': {
      const [{ rates }] = price.tiers
      const isOrdered = rates.second720p !== undefined || rates.second1080p !== undefined
      return isOrdered ? [`${videoSeconds.join(', ')} seconds`] : ['pass-through only']
    }
    default:
      return []
  }
}
