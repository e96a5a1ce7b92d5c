#!/usr/bin/env python3
"""torch_file.py FROM.safetensors TO FORM [columns]: the tensors of a file as PyTorch saves them, made without it.

FORM is zip, its format since 1.6, zip64, the same with all numbers of the directory in 8 bytes, legacy, the format
before, or python2, the legacy format as Python 2 wrote it. columns: matrices lie column by column, as in files that
were made of TensorFlow's.
"""
import collections
import io
import json
import pickle
import struct
import sys
import types
import zipfile

TYPES = {'F32': 'FloatStorage', 'F64': 'DoubleStorage', 'F16': 'HalfStorage', 'BF16': 'BFloat16Storage',
         'I32': 'IntStorage', 'I64': 'LongStorage', 'U8': 'ByteStorage', 'I8': 'CharStorage'}
SIZES = {'F32': 4, 'F64': 8, 'F16': 2, 'BF16': 2, 'I32': 4, 'I64': 8, 'U8': 1, 'I8': 1}

torch, utils = types.ModuleType('torch'), types.ModuleType('torch._utils')
sys.modules.update({'torch': torch, 'torch._utils': utils})
for name in TYPES.values():
    setattr(torch, name, type(name, (), {'__module__': 'torch'}))


def _rebuild_tensor_v2():
    """A name for the pickle."""


_rebuild_tensor_v2.__module__ = 'torch._utils'
utils._rebuild_tensor_v2 = _rebuild_tensor_v2


class Storage:
    """The bytes of a tensor, which lie beside the pickle."""

    def __init__(self, key, dtype, data):
        self.key, self.type, self.data, self.count = key, TYPES[dtype], data, len(data) // SIZES[dtype]


class Tensor:
    """What a pickle says of a tensor."""

    def __init__(self, storage, shape, strides):
        self.storage, self.shape, self.strides = storage, tuple(shape), tuple(strides)

    def __reduce__(self):
        return _rebuild_tensor_v2, (self.storage, 0, self.shape, self.strides, False, collections.OrderedDict())


class Pairs:
    """An OrderedDict as Python 2 wrote it."""

    def __init__(self, pairs):
        self.pairs = pairs

    def __reduce__(self):
        return collections.OrderedDict, ([list(pair) for pair in self.pairs],)


class Pickler(pickle._Pickler):
    """Protocol 2, with names of storages in place of them."""

    form = 'zip'

    def persistent_id(self, obj):
        if isinstance(obj, Storage):
            name = ('storage', getattr(torch, obj.type), obj.key, 'cpu', obj.count)
            return name if self.form.startswith('zip') else name + (None,)
        return None


class Pickler2(Pickler):
    """The same as of Python 2, whose strings are bytes and whose memo counts from 1."""

    dispatch = dict(pickle._Pickler.dispatch)

    def __init__(self, file, protocol):
        super().__init__(file, protocol)
        self.memo[0] = 0, None

    def save_str(self, obj):
        data = obj.encode()
        self.write(b'U' + bytes([len(data)]) + data)
        self.memoize(obj)

    dispatch[str] = save_str


def dumps(obj, form):
    out = io.BytesIO()
    pickler = (Pickler2 if form == 'python2' else Pickler)(out, 2)
    pickler.form = form
    pickler.dump(obj)
    return out.getvalue()


def columns_of(data, rows, cols, size):
    return b''.join(data[(r * cols + c) * size:][:size] for c in range(cols) for r in range(rows))


def read(path, columns):
    with open(path, 'rb') as file:
        header = json.loads(file.read(struct.unpack('<Q', file.read(8))[0]))
        body = file.read()
    tensors = []
    for name, entry in header.items():
        if name == '__metadata__':
            continue
        shape, data = entry['shape'], body[slice(*entry['data_offsets'])]
        strides = [1] * len(shape)
        for d in range(len(shape) - 1, 0, -1):
            strides[d - 1] = strides[d] * shape[d]
        if columns and len(shape) == 2:
            data, strides = columns_of(data, *shape, SIZES[entry['dtype']]), [1, shape[0]]
        storage = Storage(str(len(tensors)), entry['dtype'], data)
        tensors.append((name, Tensor(storage, shape, strides)))
    return tensors


def write_zip(tensors, path, form):
    state = collections.OrderedDict(tensors)
    state._metadata = collections.OrderedDict({'': {'version': 1}})
    if form == 'zip64':
        zipfile.ZIP64_LIMIT = -1
    with zipfile.ZipFile(path, 'w') as archive:
        def put(name, data):  # at a fixed date, so that the same file is made again
            archive.writestr(zipfile.ZipInfo('archive/' + name), data)
        put('data.pkl', dumps(state, form))
        put('byteorder', b'little')
        for _, tensor in tensors:
            put('data/' + tensor.storage.key, tensor.storage.data)
        put('version', b'3\n')


def write_legacy(tensors, path, form):
    state = Pairs(tensors) if form == 'python2' else collections.OrderedDict(tensors)
    system = {'protocol_version': 1001, 'little_endian': True, 'type_sizes': {'short': 2, 'int': 4, 'long': 4}}
    storages = sorted((tensor.storage for _, tensor in tensors), key=lambda s: s.key)
    with open(path, 'wb') as file:
        for obj in 0x1950a86a20f9469cfc6c, 1001, system, state, [s.key for s in storages]:
            file.write(dumps(obj, form))
        for s in storages:
            file.write(struct.pack('<q', s.count) + s.data)


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    write = write_zip if sys.argv[3].startswith('zip') else write_legacy
    write(read(sys.argv[1], sys.argv[4:] == ['columns']), sys.argv[2], sys.argv[3])
