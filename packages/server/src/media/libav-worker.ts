// The thread that encodes Ogg Opus and FLAC, with FFmpeg's libraries as WebAssembly.
import LibAV from '@libav.js/variant-default'
import { answerInTurn, type EncodeRequest } from './encode-thread.ts'

const bitrate = 32_000
/** Of 10. A minute of speech takes 2 to 4 s at 5, and 5 to 9 s at 10. */
const opusComplexity = '5'
/** Samples passed on at a time. */
const chunkSamples = 65_536
/** A channel layout of FFmpeg: the front centre alone. */
const mono = 4

/** An encoder that failed may have kept anything: the next call gets a new one. */
let opened: ReturnType<typeof open> | null = null
const open = () => LibAV.LibAV({ noworker: true })

answerInTurn(async request => {
  opened ??= open()
  try {
    return await encode(await opened, request)
  } catch (error) {
    opened = null
    throw error
  }
})

async function encode(
  libav: Awaited<ReturnType<typeof open>>,
  { samples: bytes, rate, format }: EncodeRequest,
): Promise<Uint8Array> {
  const isOpus = format === 'opus'
  const asOpus = { codec: 'libopus', container: 'ogg', sample_fmt: libav.AV_SAMPLE_FMT_FLT }
  const asFlac = { codec: 'flac', container: 'flac', sample_fmt: libav.AV_SAMPLE_FMT_S16 }
  const { codec, container, sample_fmt } = isOpus ? asOpus : asFlac
  // Opus has few rates of its own.
  const encodedRate = isOpus ? (rate > 24_000 ? 48_000 : 24_000) : rate
  const name = `audio.${container}`
  const [, context, frame, packet, frameSize] = await libav.ff_init_encoder(codec, {
    ctx: { bit_rate: bitrate, sample_fmt, sample_rate: encodedRate, channel_layout: mono, channels: 1 },
    time_base: [1, encodedRate],
    ...(isOpus ? { options: { compression_level: opusComplexity } } : {}),
  })
  const [muxer, , file] = await libav.ff_init_muxer({ format_name: container, filename: name, open: true }, [
    [context, 1, encodedRate],
  ])
  const [graph, source, sink] = await libav.ff_init_filter_graph(
    'aresample',
    { sample_rate: rate, sample_fmt: libav.AV_SAMPLE_FMT_S16, channel_layout: mono },
    { sample_rate: encodedRate, sample_fmt, channel_layout: mono, frame_size: frameSize },
  )
  await libav.avformat_write_header(muxer, 0)
  const samples = new Int16Array(bytes.slice(0, bytes.byteLength & ~1).buffer)
  for (let start = 0; start < samples.length; start += chunkSamples) {
    const data = samples.slice(start, start + chunkSamples)
    const isLast = start + chunkSamples >= samples.length
    const piece = {
      data,
      format: libav.AV_SAMPLE_FMT_S16,
      channel_layout: mono,
      sample_rate: rate,
      nb_samples: data.length,
      pts: start,
    }
    const frames = await libav.ff_filter_multi(source, sink, frame, [piece], isLast)
    await libav.ff_write_multi(
      muxer,
      packet,
      await libav.ff_encode_multi(context, frame, packet, frames, isLast),
    )
  }
  await libav.av_write_trailer(muxer)
  await libav.avfilter_graph_free_js(graph)
  await libav.ff_free_muxer(muxer, file)
  await libav.ff_free_encoder(context, frame, packet)
  const encoded = await libav.readFile(name)
  await libav.unlink(name)
  return encoded
}
