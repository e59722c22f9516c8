import compressPdf from 'lucide-static/icons/file-archive.svg'
import pdfToWord from 'lucide-static/icons/file-text.svg'
import mergePdf from 'lucide-static/icons/files.svg'
import jpgToPdf from 'lucide-static/icons/image.svg'
import mp4ToMp3 from 'lucide-static/icons/music.svg'
import scanToText from 'lucide-static/icons/scan-text.svg'
import heicToJpg from 'lucide-static/icons/smartphone.svg'
import videoToGif from 'lucide-static/icons/square-play.svg'
import { type LandingId, landingIds } from '../section-paths.ts'
import { type IconElements, LineIcon } from '../ui/line-icon.tsx'
import words from '../words/en.ts'

const icons: Readonly<Record<LandingId, IconElements>> = {
  'pdf-to-word': pdfToWord,
  'merge-pdf': mergePdf,
  'compress-pdf': compressPdf,
  'jpg-to-pdf': jpgToPdf,
  'heic-to-jpg': heicToJpg,
  'mp4-to-mp3': mp4ToMp3,
  'video-to-gif': videoToGif,
  'scan-to-text': scanToText,
}

/** Links to the landing pages. It has no hooks, because it is also rendered on the server. */
export const PopularTasks = ({ except }: { readonly except?: LandingId }) => (
  <nav class="popular" aria-labelledby="popular-title">
    <h2 id="popular-title">{words.popular.title}</h2>
    <ul>
      {landingIds
        .filter((id) => id !== except)
        .map((id) => (
          <li key={id}>
            <a href={`/${id}`}>
              <LineIcon of={icons[id]} />
              {words.popular.names[id]}
            </a>
          </li>
        ))}
    </ul>
  </nav>
)
