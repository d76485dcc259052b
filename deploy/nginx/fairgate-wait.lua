-- Lets requests wait, unsent, while Fairgate restarts. One nginx worker checks /health/open each second, and all workers use its result.

local wait = {}

-- The longest that a request waits, which covers Fairgate's announcement, drain and start.
local longest_seconds = 60
local look_every_seconds = 1
local seen = ngx.shared.fairgate

-- Any answer but 503 counts as open. Fairgate tells its callers itself what is wrong then.
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

-- Called once per door, in init_worker.
function wait.watch(door, host, port)
    if ngx.worker.id() ~= 0 then return end
    local function look(is_ending)
        if is_ending then return end
        seen:set(door, is_open(host, port))
        local seconds = seen:get(door) and look_every_seconds or 0.1
        ngx.timer.at(seconds, look)
    end
    ngx.timer.at(0, look)
end

-- Called before a request is passed on. A request that has waited for too long gets 503 in the form of Fairgate's errors.
function wait.until_open(door)
    local give_up_at = ngx.now() + longest_seconds
    while seen:get(door) == false do
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

return wait
