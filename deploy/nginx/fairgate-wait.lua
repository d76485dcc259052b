-- Sends requests to addresses with an open server, and lets requests wait, unsent, while there is none. One nginx worker checks
-- /health/open at each address every second, and all workers use its results.

local balancer = require("ngx.balancer")

local wait = {}

-- Max wait of a request, which covers Fairgate's announcement, drain and start.
local longest_seconds = 60
local look_every_seconds = 1
local seen = ngx.shared.fairgate
local addresses = {}

-- Any answer but 503 counts as open. Fairgate itself then reports errors to its callers.
local function is_open(host, port)
    local socket = ngx.socket.tcp()
    socket:settimeouts(1000, 1000, 1000)
    if not socket:connect(host, port) then return false end
    local line, problem = nil, nil
    if socket:send("GET /health/open HTTP/1.1\r\nHost: " .. host .. "\r\nConnection: close\r\n\r\n") then
        line, problem = socket:receive("*l")
    end
    socket:close()
    -- A server that takes more than a second to answer is busy, not gone. (Docker's proxy accepts connections for a server that is gone, and closes them.)
    if line == nil then return problem == "timeout" end
    return not line:find("^HTTP/1%.1 503")
end

-- Called once per door, in init_worker. Each address is "host:port"; the host is a number, since no names are looked up here.
function wait.watch(door, list)
    addresses[door] = {}
    for _, address in ipairs(list) do
        local host, port = address:match("^%[?([^%[%]]+)%]?:(%d+)$")
        if host == nil then error("fairgate: not an address with a port: " .. address) end
        -- A colon makes it an IPv6 address, which a socket wants in brackets.
        if host:find(":") then host = "[" .. host .. "]" end
        table.insert(addresses[door], { name = address, host = host, port = tonumber(port) })
    end
    if ngx.worker.id() ~= 0 then return end
    for _, address in ipairs(addresses[door]) do
        local function look(is_ending)
            if is_ending then return end
            local open = is_open(address.host, address.port)
            seen:set(address.name, open)
            ngx.timer.at(open and look_every_seconds or 0.1, look)
        end
        ngx.timer.at(0, look)
    end
end

-- Addresses that accept requests, as far as is known.
local function find_open(door)
    local open = {}
    for _, address in ipairs(addresses[door]) do
        if seen:get(address.name) ~= false then table.insert(open, address) end
    end
    return open
end

-- Called before a request is forwarded. A request that has waited too long gets 503 in the format of Fairgate's errors.
function wait.until_open(door)
    local give_up_at = ngx.now() + longest_seconds
    while #find_open(door) == 0 do
        if ngx.now() >= give_up_at then
            ngx.status = 503
            ngx.header["Content-Type"] = "application/json"
            ngx.header["Retry-After"] = "5"
            ngx.say('{"error":{"message":"The service is restarting. Try again in a moment.",'
                .. '"type":"internal_error","param":null,"code":"unavailable"}}')
            return ngx.exit(503)
        end
        ngx.sleep(0.1)
    end
end

-- nginx's own NGX_BUSY, which is answered with 502. ngx.exit(502) would be answered with 500 here.
local no_address = -3

-- Called for each attempt to forward a request. Another address is tried only if nothing was sent.
function wait.choose(door)
    local context = ngx.ctx
    if context.fairgate_left == nil then
        context.fairgate_left = find_open(door)
        -- The last one may have closed while the request waited.
        if #context.fairgate_left == 0 then context.fairgate_left = { unpack(addresses[door]) } end
        balancer.set_more_tries(#context.fairgate_left - 1)
    elseif (ngx.var.upstream_bytes_sent or ""):find("[1-9]") then
        return ngx.exit(no_address)
    end
    local left = context.fairgate_left
    if #left == 0 then return ngx.exit(no_address) end
    local address = table.remove(left, math.random(#left))
    local is_set, problem = balancer.set_current_peer(address.host, address.port)
    if not is_set then
        ngx.log(ngx.ERR, "fairgate: ", address.name, ": ", problem)
        return ngx.exit(no_address)
    end
end

return wait
