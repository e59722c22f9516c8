import type { FormatRow } from './format.ts'

/** Raw sensor data of cameras, in the formats of their manufacturers. */
export const cameraPhotos = [
  {
    id: '3fr',
    name: 'Hasselblad raw photograph',
    extensions: ['3fr'],
    mimeTypes: ['image/x-hasselblad-3fr'],
  },
  { id: 'arw', name: 'Sony raw photograph', extensions: ['arw'], mimeTypes: ['image/x-sony-arw'] },
  { id: 'cr2', name: 'Canon raw photograph', extensions: ['cr2'], mimeTypes: ['image/x-canon-cr2'] },
  {
    id: 'cr3',
    name: 'Canon raw photograph, version 3',
    extensions: ['cr3'],
    mimeTypes: ['image/x-canon-cr3'],
  },
  { id: 'dcr', name: 'Kodak raw photograph', extensions: ['dcr'], mimeTypes: ['image/x-kodak-dcr'] },
  { id: 'dng', name: 'Digital negative', extensions: ['dng'], mimeTypes: ['image/x-adobe-dng', 'image/dng'] },
  { id: 'erf', name: 'Epson raw photograph', extensions: ['erf'], mimeTypes: ['image/x-epson-erf'] },
  {
    id: 'fff',
    name: 'Hasselblad Imacon raw photograph',
    extensions: ['fff'],
    mimeTypes: ['image/x-hasselblad-fff'],
  },
  { id: 'iiq', name: 'Phase One raw photograph', extensions: ['iiq'], mimeTypes: ['image/x-phaseone-iiq'] },
  { id: 'mef', name: 'Mamiya raw photograph', extensions: ['mef'], mimeTypes: ['image/x-mamiya-mef'] },
  { id: 'mrw', name: 'Minolta raw photograph', extensions: ['mrw'], mimeTypes: ['image/x-minolta-mrw'] },
  { id: 'nef', name: 'Nikon raw photograph', extensions: ['nef'], mimeTypes: ['image/x-nikon-nef'] },
  { id: 'nrw', name: 'Nikon Coolpix raw photograph', extensions: ['nrw'], mimeTypes: ['image/x-nikon-nrw'] },
  { id: 'orf', name: 'Olympus raw photograph', extensions: ['orf'], mimeTypes: ['image/x-olympus-orf'] },
  { id: 'pef', name: 'Pentax raw photograph', extensions: ['pef'], mimeTypes: ['image/x-pentax-pef'] },
  { id: 'raf', name: 'Fujifilm raw photograph', extensions: ['raf'], mimeTypes: ['image/x-fuji-raf'] },
  {
    id: 'raw',
    name: 'Raw photograph',
    extensions: ['raw'],
    mimeTypes: ['image/x-panasonic-raw', 'image/x-dcraw'],
  },
  { id: 'rw2', name: 'Panasonic raw photograph', extensions: ['rw2'], mimeTypes: ['image/x-panasonic-rw2'] },
  { id: 'rwl', name: 'Leica raw photograph', extensions: ['rwl'], mimeTypes: ['image/x-leica-rwl'] },
  { id: 'sr2', name: 'Sony raw photograph, version 2', extensions: ['sr2'], mimeTypes: ['image/x-sony-sr2'] },
  { id: 'srf', name: 'Sony raw photograph, version 1', extensions: ['srf'], mimeTypes: ['image/x-sony-srf'] },
  { id: 'srw', name: 'Samsung raw photograph', extensions: ['srw'], mimeTypes: ['image/x-samsung-srw'] },
] as const satisfies readonly FormatRow[]
