# The program and its model in a small image:
#     docker build -t lal .
#     docker run -i --rm lal parse < text > trees
#     docker build -t lal-server --target server . && docker run --rm -p 127.0.0.1:9000:9000 lal-server
#     docker run -i --rm -v "$PWD:/work" -u "$(id -u):$(id -g)" lal train --train T.trees --dev D.trees --out my.lal
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make pkg-config \
    libutf8proc-dev libcjson-dev zlib1g-dev libpcre2-dev libmicrohttpd-dev && \
    rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN make -s PREFIX=/usr install DESTDIR=/out && strip /out/usr/bin/*

FROM debian:bookworm-slim AS program
RUN apt-get update && apt-get install -y --no-install-recommends \
    libopenblas0-pthread libutf8proc2 libcjson1 zlib1g libpcre2-8-0 libmicrohttpd12 && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/usr/bin/ /usr/bin/
COPY --from=build /out/usr/share/lalparser/ /usr/share/lalparser/
COPY --from=build /out/usr/share/doc/lalparser/ /usr/share/doc/lalparser/
WORKDIR /work
USER nobody
ENTRYPOINT ["lal"]

# The first worker parses within a second.
FROM program AS server
EXPOSE 9000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/9000 && printf 'GET /ready HTTP/1.0\r\nHost: x\r\n\r\n' >&3 && grep -q ^ready <&3"]
CMD ["serve", "--listen", "0.0.0.0:9000"]

FROM program
CMD ["help"]
