// nfc-jcs/v1 by another hand: V8's JSON.parse, ICU's NFC, npm `canonicalize`.
//
// Reads frames (length as four bytes, little end first; JSON text) from standard
// input and answers each with a frame: `=` and the canonical bytes, or `!` and
// every reason there is for a refusal, parted by commas.
import canonicalize from 'canonicalize'

const DEPTH_LIMIT = 1024
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function answer (bytes) {
  let value
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch {
    return '!syntax'
  }
  const reasons = new Set()
  const normal = inNfc(value, 0, reasons)
  return reasons.size > 0 ? `!${[...reasons].join(',')}` : `=${canonicalize(normal)}`
}

function inNfc (value, depth, reasons) {
  if (typeof value === 'string') return text(value, reasons)
  if (typeof value === 'number' && !Number.isFinite(value)) reasons.add('non_finite_number')
  if (value === null || typeof value !== 'object') return value
  if (depth === DEPTH_LIMIT) reasons.add('depth')
  if (depth >= DEPTH_LIMIT) return null
  if (Array.isArray(value)) return value.map(item => inNfc(item, depth + 1, reasons))
  const normal = Object.create(null) // in which `__proto__` is a key like any other
  for (const [key, member] of Object.entries(value)) {
    const name = text(key, reasons)
    if (name in normal) reasons.add('duplicate_key_after_nfc')
    normal[name] = inNfc(member, depth + 1, reasons)
  }
  return normal
}

function text (string, reasons) {
  if (/\p{Surrogate}/u.test(string)) reasons.add('lone_surrogate')
  return string.normalize('NFC')
}

let waiting = Buffer.alloc(0)
process.stdin.on('data', chunk => {
  waiting = Buffer.concat([waiting, chunk])
  const answers = []
  while (waiting.length >= 4 && waiting.length - 4 >= waiting.readUInt32LE()) {
    const end = 4 + waiting.readUInt32LE()
    const bytes = Buffer.from(answer(waiting.subarray(4, end)))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(bytes.length)
    answers.push(length, bytes)
    waiting = waiting.subarray(end)
  }
  process.stdout.write(Buffer.concat(answers))
})
