import { useState } from 'preact/hooks'
import type { Job } from '../../api.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { convertAgain } from './add-items.ts'
import { convertItem } from './convert-item.ts'
import { chooseFile } from './file-input.ts'
import { formatExpiry } from './format-text.ts'
import type { ConversionItem } from './item.ts'
import lazyWords from './lazy/words/en.ts'

const loadSaveButtons = () => import('./drives/save-buttons.tsx')
const loadQrCode = () => import('../../ui/qr-code.tsx')

/** Actions on a result: share its signed link, or use the same settings for another file. */
export default function ResultActions({
  item,
  job,
  url,
  filename,
}: {
  readonly item: ConversionItem
  readonly job: Job
  readonly url: string
  readonly filename: string
}) {
  const [isQrCodeShown, setQrCodeShown] = useState(false)
  return (
    <div class="result-actions">
      <div class="actions">
        <CopyButton text={url} label={lazyWords.copyResultLink} copiedLabel={lazyWords.linkCopied} />
        {'share' in navigator && (
          <button
            type="button"
            class="button"
            // The promise rejects if the user closes the share sheet.
            onClick={() => void navigator.share({ url, title: filename }).catch(() => {})}
          >
            {lazyWords.share}
          </button>
        )}
        <button
          type="button"
          class="button"
          aria-expanded={isQrCodeShown}
          onClick={() => setQrCodeShown(!isQrCodeShown)}
        >
          {lazyWords.qrCode}
        </button>
        <button
          type="button"
          class="button"
          onClick={async () => {
            const file = await chooseFile()
            const next = file && convertAgain(item, file)
            if (next) void convertItem(next)
          }}
        >
          {lazyWords.sameWithOther}
        </button>
        <Lazy load={loadSaveButtons} jobIds={[job.jobId]} />
      </div>
      {isQrCodeShown && <Lazy load={loadQrCode} text={url} label={lazyWords.qrCodeOf(filename)} />}
      <p class="hint">{lazyWords.linkValidUntil(formatExpiry(job.expiresAt))}</p>
    </div>
  )
}
