import type { FormatId } from '../index.ts'
import { createCorruptFileError, decodeAscii, type OpenedFile } from './byte-source.ts'
import { checkBmp, checkExr, checkFits, checkGif, checkJpeg, checkPng, checkTiff } from './image-checks.ts'
import { checkBoxes, checkForm, checkMatroska, checkOgg } from './media-checks.ts'
import { checkPdf, type PdfHint } from './pdf.ts'
import { checkPhotoshop } from './photoshop.ts'
import { checkSevenZip } from './split-archive.ts'

type DamageCheck = (file: OpenedFile, hint: PdfHint) => void | Promise<void>

const checkVideoBoxes: DamageCheck = (file) => checkBoxes(file, ['moov', 'moof'])
const checkImageBoxes: DamageCheck = (file) => checkBoxes(file, ['meta', 'moov'])

const checkRiff: DamageCheck = (file) => checkForm(file, 'a RIFF file such as AVI, WAV or WebP')
const checkAiff: DamageCheck = (file) => checkForm(file, 'an AIFF')

/** Returns the check for text formats with a fixed terminator, which NULs and line breaks may follow. */
function requireTerminator(terminator: string): DamageCheck {
  return (file) => {
    const end = file.tail.findLastIndex((byte) => byte > 0x20)
    const lastText = decodeAscii(file.tail, 0, end + 1)
    if (!lastText.endsWith(terminator))
      throw createCorruptFileError('a text-based document', 'its end is missing')
  }
}

const damageChecks: readonly (readonly [DamageCheck, readonly FormatId[]])[] = [
  [checkVideoBoxes, ['mp4', 'm4v', 'f4v', 'mov', 'qt', '3gp', '3g2', 'mj2', 'ismv', 'm4s']],
  [checkVideoBoxes, ['m4a', 'm4b', 'm4r', 'mp4a', 'alac', '3ga']],
  [checkImageBoxes, ['avif', 'heic']],
  [checkMatroska, ['mkv', 'mk3d', 'mka', 'webm', 'weba']],
  [checkOgg, ['ogg', 'oga', 'opus', 'spx', 'ogv', 'ogm', 'ogx']],
  [checkRiff, ['avi', 'divx', 'xvid', 'wav', 'rf64', 'webp']],
  [checkAiff, ['aiff', 'aif', 'aifc', '8svx', 'maud']],
  [checkJpeg, ['jpg']],
  [checkPng, ['png', 'apng']],
  [checkGif, ['gif']],
  [checkTiff, ['tiff']],
  [checkBmp, ['bmp', 'bmp2', 'bmp3']],
  [checkExr, ['exr']],
  [checkFits, ['fits']],
  [checkPhotoshop, ['psd', 'psb']],
  [requireTerminator('\x1b\\'), ['sixel']],
  [checkPdf, ['pdf']],
  [checkSevenZip, ['7z', 'cb7']],
  [requireTerminator('}'), ['rtf']],
  [requireTerminator('>'), ['svg', 'fodt', 'fods', 'fodp', 'fodg', 'uos', 'uot', 'uop']],
]

/** Returns the quick completeness check of a format; ZIP and OLE files are checked while they are read. */
export function getDamageCheck(format: FormatId): DamageCheck | undefined {
  return damageChecks.find(([, formats]) => formats.includes(format))?.[0]
}
