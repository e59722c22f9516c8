// mutool run outlines.js <files.json>: adds objects in qpdf's JSON notation to PDFs, and entries to their catalogs.
// A single run for all parts of a document: starting two processes for each of a thousand would take minutes.
// biome-ignore-all lint/suspicious/noVar: mutool's interpreter knows ES5.
// biome-ignore-all lint/correctness/noInnerDeclarations: mutool's interpreter knows ES5.
// biome-ignore-all lint/complexity/useArrowFunction: mutool's interpreter knows ES5.

function decodeHex(hex) {
  var bytes = []
  for (var at = 0; at < hex.length; at += 2) bytes.push(parseInt(hex.substr(at, 2), 16))
  return bytes
}

function addTo(file) {
  var pdf = new PDFDocument(file.path)
  var added = file.objects.map(function () {
    return pdf.addObject(pdf.newDictionary())
  })

  function createObject(value) {
    if (value === null) return pdf.newNull()
    if (typeof value === 'number') {
      return value === Math.floor(value) ? pdf.newInteger(value) : pdf.newReal(value)
    }
    if (typeof value === 'boolean') return pdf.newBoolean(value)
    if (typeof value === 'string') return createFromString(value.slice(0, 2), value.slice(2), value)
    var holder = Array.isArray(value) ? pdf.newArray() : pdf.newDictionary()
    fill(holder, value)
    return holder
  }

  function createFromString(prefix, rest, value) {
    if (prefix === 'u:') return pdf.newString(rest)
    if (prefix === 'b:') return pdf.newByteString(decodeHex(rest))
    if (prefix === 'o:') return added[Number(rest)]
    if (prefix === 'p:') return pdf.findPage(Number(rest))
    return pdf.newName(value.slice(1))
  }

  function fill(holder, value) {
    if (Array.isArray(value)) {
      value.forEach(function (element) {
        holder.push(createObject(element))
      })
    } else {
      Object.keys(value).forEach(function (key) {
        holder.put(key.slice(1), createObject(value[key]))
      })
    }
  }

  file.objects.forEach(function (object, index) {
    fill(added[index], object)
  })
  fill(pdf.getTrailer().get('Root'), file.root)
  pdf.save(file.path, 'incremental')
}

JSON.parse(read(scriptArgs[0])).forEach(addTo)
